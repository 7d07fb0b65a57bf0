import { type Definitions, tenantTable } from '../schema.ts';

/** What someone has asked to change. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'change_requests', {
    columns: {
      entity: 'text not null',
      entity_id: 'bigint not null',
      status: 'integer not null default 1 check (status in (1, 2, 3))',
      requested_by: 'bigint',
      requested_at: `timestamptz(0) not null default date_trunc('second', now())`,
      decided_at: 'timestamptz(0)',
      changes: `jsonb not null default '[]'`,
    },
    references: { requested_by: 'employees' },
    indexes: [['entity', 'entity_id']],
  });
};
