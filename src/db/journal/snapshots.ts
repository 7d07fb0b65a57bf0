import type { Statement } from '../database.ts';

/** The statement that returns the snapshot in which its transaction reads, as text. */
export const snapshotStatement: Statement = {
  name: 'journal_snapshot',
  text: 'select pg_current_snapshot()',
  values: [],
};

/**
 * Returns the statement that returns `t` if what was read of the resources in a snapshot is still what they have: no transaction that the
 * snapshot could not see has entered a change of one of them. Numbered or not is the same to it. An index finds those entries, so that it
 * costs as little after a year as after a day.
 * @param resources names of journalled resources
 * @param snapshot as returned by `snapshotStatement`
 */
export const holdsStatement = (tenantId: number, resources: Iterable<string>, snapshot: string): Statement => ({
  name: 'journal_holds',
  // One look-up for each resource: with `resource = any(…)` the server would scan for the tenant's oldest transaction.
  text: `select not exists (
  select from unnest($2::text[]) as own (resource)
  where exists (
    select from journal
    where tenant_id = $1 and journal.resource = own.resource
      and transaction >= pg_snapshot_xmin($3::pg_snapshot) and not pg_visible_in_snapshot(transaction, $3::pg_snapshot)
  )
)`,
  values: [String(tenantId), `{${[...resources]}}`, snapshot],
});
