import type { Statement } from '../database.ts';

/** What was read of a tenant earlier. */
export interface Earlier {
  /** The version of the tenant's fields. */
  readonly version: string;
  /** The snapshot that it was read in, as text. */
  readonly snapshot: string;
  /** The names of the journalled resources that it was read from. */
  readonly resources: Iterable<string>;
}

/**
 * Returns the statement that returns `t` if what was read earlier is still what the tenant has (snapshot-holds.sql). An index finds the
 * changes since then, so that it costs as little after a year as after a day.
 */
export const holdsStatement = (tenantId: number, { version, resources, snapshot }: Earlier): Statement => ({
  name: 'snapshot_holds',
  text: 'select snapshot_holds($1, $2, $3, $4)',
  values: [String(tenantId), version, `{${[...resources]}}`, snapshot],
});
