import { type Definitions, tenantTable } from '../schema.ts';

/** The answers of writes that carried an Idempotency-Key. */
export const up = (db: Definitions): Promise<void> =>
  tenantTable(db, 'idempotency_keys', {
    columns: {
      api_user_id: 'bigint not null',
      hash: 'text not null',
      request: 'text not null',
      reply: 'text not null',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
    },
    references: { api_user_id: { table: 'api_users', onDelete: 'cascade' } },
    indexes: [['created_at']],
    unique: [['hash']],
  });
