import type { Client } from '../../support/app.ts';

/** When the records that `age` has aged seem to have been changed last. */
export const aged = '2026-01-01T00:00:00Z';

/** Lets the tenant's records of a table seem to have been changed long ago. */
export const age = ({ database, tenant }: Client, table: string): Promise<unknown> =>
  database.asOwner(tenant.id, ({ send }) =>
    send({
      name: null,
      text: `update ${table} set updated_at = '${aged}' where tenant_id = $1 returning id as journal_id`,
      values: [String(tenant.id)],
    }),
  );
