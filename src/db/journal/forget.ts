import type { OwnerTransaction } from '../owner.ts';

/**
 * Deletes those of the first `limit` entries that were made before the given time.
 * Cursors before them have expired.
 * @returns how many were deleted
 */
export const forgetEntries = async (
  { before, limit }: { readonly before: Date; readonly limit: number },
  { send, tenantId }: Pick<OwnerTransaction, 'send' | 'tenantId'>,
): Promise<number> => {
  const [deleted] = await send({
    name: null,
    text: `
      with oldest as (
        select sequence, at from journal where tenant_id = $1 and position is not null order by position limit $3
      ), gone as (
        delete from journal j using oldest o
        where j.tenant_id = $1 and j.sequence = o.sequence and o.at < $2::timestamptz
        returning j.position
      )
      update journal_heads set forgotten = greatest(forgotten, coalesce((select max(position) from gone), 0))
      where tenant_id = $1 and id = 1 returning (select count(*) from gone)`,
    values: [String(tenantId), before.toISOString(), String(limit)],
  });
  return Number(deleted?.rows[0]?.[0] ?? 0);
};
