import { accessError, isIdle, needsOf } from '../../domain/occurrences/access.ts';
import { actFor } from '../../domain/occurrences/act-for.ts';
import { type AutomationTexts, checkAutomation } from '../../domain/occurrences/configuration.ts';
import { checkNames } from '../../domain/occurrences/record-changed.ts';
import { removeMarks } from '../../domain/occurrences/time-based.ts';
import type { Rules } from '../../engine/rules.ts';

/** Configurations match the schemas of trigger and routine. Who writes one may do what it does. */
export const automations: Rules = {
  check: async ({ after }, _, call) => {
    if (!after) return { errors: [] };
    const automation = after as unknown as AutomationTexts;
    const errors = checkAutomation(automation);
    if (errors.length > 0) return { errors };
    const { tenant, apiUser } = call.principal;
    const error = accessError(needsOf(automation), apiUser, tenant);
    if (error) throw error;
    if (automation.trigger_type !== 'record.changed') return { errors };
    return { errors: checkNames(JSON.parse(automation.trigger_configuration), call) };
  },
  // Who wrote it last is who it acts for, from now on.
  follow: async ({ before, after }, transaction, { principal }) => {
    if (!after) return;
    const automation = { ...(after as unknown as AutomationTexts), id: Number(after.id) };
    if (before && before.trigger_type !== automation.trigger_type) await removeMarks(automation.id, transaction);
    const wasIdle = before !== null && (await isIdle(automation.id, transaction));
    await actFor(automation, principal.apiUser.id, wasIdle, transaction);
  },
};
