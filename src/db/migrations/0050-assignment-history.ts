import { type Definitions, tenantTable } from '../schema.ts';

/** What was done to assignments: rows are added, never changed, and go only with their assignment. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'assignment_history', {
    columns: {
      assignment_id: 'bigint not null',
      action: 'text not null',
      from_status: 'integer',
      to_status: 'integer not null',
      data: 'jsonb',
      overridden: `jsonb not null default '[]'`,
      api_user_id: 'bigint',
      automation_id: 'bigint',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
    },
    references: { assignment_id: { table: 'assignments', onDelete: 'cascade' } },
    indexes: [['assignment_id', 'id']],
    grants: ['select', 'insert'],
  });
};
