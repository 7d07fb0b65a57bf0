import type { Principal } from '../../core/principal.ts';
import type { Transaction } from '../../db/database.ts';
import { accessError, isIdle, needsOf } from './access.ts';
import { type AutomationTexts, targetOf } from './configuration.ts';
import { passOver } from './pass-over.ts';
import { followChanges } from './record-changed.ts';

/** An automation as it is stored. */
interface StoredAutomation extends AutomationTexts {
  readonly id: number;
}

/**
 * Has an automation act for an API user from now on.
 * @param wasIdle whether nothing has triggered it so far
 */
export const actFor = async (
  automation: StoredAutomation,
  apiUserId: number,
  wasIdle: boolean,
  transaction: Transaction,
): Promise<void> => {
  const { id, trigger_type } = automation;
  await transaction.kysely
    .updateTable('automations')
    .set({ api_user_id: apiUserId, target: targetOf(automation) })
    .where('id', '=', id)
    .execute();
  if (wasIdle) await passOver({ id }, transaction.tenant, transaction);
  if (trigger_type === 'record.changed') followChanges(transaction);
};

/**
 * Has an unchanged automation act for another API user.
 * @throws ApiError module_disabled, scope_missing (403) or read_only_user (405): the user lacks access to what it needs
 */
export const handOver = async (
  automation: StoredAutomation,
  { tenant, apiUser }: Pick<Principal, 'tenant' | 'apiUser'>,
  transaction: Transaction,
): Promise<void> => {
  const error = accessError(needsOf(automation), apiUser, tenant);
  if (error) throw error;
  await actFor(automation, apiUser.id, await isIdle(automation.id, transaction), transaction);
};
