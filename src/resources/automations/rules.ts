import { type AutomationTexts, checkAutomation } from '../../domain/occurrences/configuration.ts';
import type { Rules } from '../../engine/rules.ts';

/** Configurations match the schemas of trigger and routine, which must be compatible. */
export const automations: Rules = {
  check: async ({ after }) => ({ errors: after ? checkAutomation(after as unknown as AutomationTexts) : [] }),
};
