import type { Tenant } from '../../core/principal.ts';
import { presentTimeOf } from '../../core/time.ts';
import type { OwnerTransaction } from '../../db/owner.ts';
import type { AccessTables } from '../../db/system-tables.ts';
import { type Marking, markDue, type Which } from './time-based.ts';

/** Returns what passing over takes of a transaction of the tables' owner. */
export const markingOf = ({ kysely, newIds, send }: OwnerTransaction): Marking => ({
  kysely: kysely.$omitTables<keyof AccessTables>(),
  newIds,
  send,
});

/** Passes over what is due for time-based automations that have not run for a while. */
export const passOverDue = async (
  which: Which,
  tenant: Pick<Tenant, 'id' | 'clockAhead'>,
  transaction: Marking,
): Promise<void> => {
  await Array.fromAsync(markDue(presentTimeOf(tenant), which, tenant.id, transaction));
};

/** Passes over everything that has happened: also the changes of records that have been committed. */
export const passOver = async (
  which: Which,
  tenant: Pick<Tenant, 'id' | 'clockAhead'>,
  transaction: Marking,
): Promise<void> => {
  await passOverDue(which, tenant, transaction);
  const since = await readEnd(tenant.id, transaction);
  await transaction.kysely
    .updateTable('automations')
    .set({ since })
    .where('trigger_type', '=', 'record.changed')
    .$if(which.apiUserId !== undefined, query => query.where('api_user_id', '=', Number(which.apiUserId)))
    .$if(which.id !== undefined, query => query.where('id', '=', Number(which.id)))
    .execute();
};

/** Reads the position of the last entry of the journal. Entries that have none yet get the next ones. */
const readEnd = async (tenantId: number, transaction: Marking): Promise<number> => {
  const [found] = await transaction.send({
    name: null,
    text: `
      select coalesce((select position from journal_heads where tenant_id = $1), 0)
        + (select count(*) from journal where tenant_id = $1 and position is null)`,
    values: [String(tenantId)],
  });
  return Number(found?.rows[0]?.[0] ?? 0);
};
