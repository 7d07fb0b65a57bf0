import { type AutomationTexts, checkAutomation, targetOf } from '../../domain/occurrences/configuration.ts';
import { checkNames, followChanges } from '../../domain/occurrences/record-changed.ts';
import type { Rules } from '../../engine/rules.ts';

/** Configurations match the schemas of trigger and routine, which must be compatible. */
export const automations: Rules = {
  check: async ({ after }, _, call) => {
    if (!after) return { errors: [] };
    const automation = after as unknown as AutomationTexts;
    const errors = checkAutomation(automation);
    if (errors.length > 0 || automation.trigger_type !== 'record.changed') return { errors };
    return { errors: checkNames(JSON.parse(automation.trigger_configuration), call) };
  },
  // Who wrote it last is who it acts for: its webhooks contain what that API user can see.
  follow: async ({ after }, transaction, { principal }) => {
    if (!after) return;
    await transaction.kysely
      .updateTable('automations')
      .set({ api_user_id: principal.apiUser.id, target: targetOf(after as unknown as AutomationTexts) })
      .where('id', '=', Number(after.id))
      .execute();
    if (after.trigger_type === 'record.changed') await followChanges(transaction);
  },
};
