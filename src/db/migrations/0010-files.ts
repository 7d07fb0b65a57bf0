import { type Definitions, tenantTable } from '../schema.ts';

/** What was sent to the tenants; the content is elsewhere. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'files', {
    columns: {
      path: 'text not null',
      name: 'text not null',
      mime: 'text not null',
      status: 'integer not null check (status = 1)',
      user_id: 'bigint not null',
      visibility: `text not null check (visibility in ('private', 'public'))`,
      size: 'bigint not null check (size >= 0)',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
    },
    unique: [['path']],
  });
};
