import { type AutomationTexts, checkAutomation } from '../../domain/occurrences/configuration.ts';
import type { Rules } from '../../engine/rules.ts';

/** Configurations have the form that their trigger and routine have, and these go together. */
export const automations: Rules = {
  check: async ({ after }) => ({ errors: after ? checkAutomation(after as unknown as AutomationTexts) : [] }),
};
