import { type Definitions, tenantTable } from '../schema.ts';

const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };
const inUse = 'integer not null default 1 check (status in (1, 2))';
const address = { address_first: 'text', address_second: 'text', zip: 'text', city: 'text', country: 'bigint' };

/** Those who book, those who plan and those who work. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'planners', {
    columns: {
      first_name: 'text not null',
      last_name: 'text not null',
      email: 'text',
      phone: 'text',
      status: inUse,
      language_id: 'bigint',
      ...meta,
    },
    references: { language_id: 'languages' },
  });
  await tenantTable(db, 'clients', {
    columns: { relation_id: 'bigint', status: inUse, company: 'text not null', ...address, ...meta },
    references: { country: 'collection_values' },
    indexes: [['company']],
  });
  await tenantTable(db, 'contacts', {
    columns: {
      relation_id: 'bigint',
      client_id: 'bigint not null',
      status: inUse,
      firstname: 'text',
      lastname: 'text not null',
      email: 'text',
      mobile: 'text',
      gender: 'bigint',
      ...meta,
    },
    references: { client_id: 'clients', gender: 'collection_values' },
  });
  await tenantTable(db, 'employees', {
    columns: {
      status: 'integer not null default 1 check (status between 0 and 6)',
      firstname: 'text not null',
      lastname: 'text not null',
      email: 'text',
      mobile: 'text',
      birthday: 'date',
      gender: 'bigint',
      ...address,
      language_id: 'bigint',
      wage_profile_id: 'bigint',
      qualifications: `jsonb not null default '[]'`,
      last_active_at: 'timestamptz(0)',
      ...meta,
    },
    references: {
      gender: 'collection_values',
      country: 'collection_values',
      language_id: 'languages',
      wage_profile_id: 'wage_profiles',
    },
    indexes: [['lastname', 'firstname'], ['status']],
  });
  await tenantTable(db, 'busy_dates', {
    columns: {
      employee_id: 'bigint not null',
      reason: 'text',
      start: 'timestamptz(0) not null',
      end: 'timestamptz(0) not null constraint busy_dates_end_check check ("end" >= start)',
      busy_entry: 'jsonb',
    },
    references: { employee_id: 'employees' },
    indexes: [['employee_id', 'start']],
  });
};
