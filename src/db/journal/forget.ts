import type { OwnerTransaction } from '../open.ts';

/** Entries that one transaction deletes at most. */
const BATCH = 10_000;

/**
 * Deletes entries older than the given number of days, the oldest first; cursors before them have expired.
 * @returns whether there may be more
 */
export const forgetEntries = async (days: number, { send, tenantId }: OwnerTransaction): Promise<boolean> => {
  const [deleted] = await send({
    name: null,
    text: `
        with old as (
          select sequence from journal
          where tenant_id = $1 and position is not null and at < now() - make_interval(days => $2::integer)
          order by position limit ${BATCH}
        ), gone as (
          delete from journal j using old where j.tenant_id = $1 and j.sequence = old.sequence returning j.position
        )
        update journal_heads set forgotten = greatest(forgotten, coalesce((select max(position) from gone), 0))
        where tenant_id = $1 and id = 1 returning (select count(*) from gone)`,
    values: [String(tenantId), String(days)],
  });
  return Number(deleted?.rows[0]?.[0] ?? 0) === BATCH;
};
