import { type Definitions, tenantTable, tenantView } from '../schema.ts';

const flag = 'boolean not null default false';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };

/** What the other tables choose from, and what happens by itself. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'languages', {
    columns: { code: 'text', name: 'text not null', is_default: flag, active: flag },
  });
  await tenantTable(db, 'wage_profiles', {
    columns: {
      name: 'text not null',
      external_id: 'text',
      currency: `text not null default 'EUR' check (currency ~ '^[A-Z]{3}$')`,
      is_default: flag,
      wage_types: `jsonb not null default '[]'`,
      deleted: flag,
      ...meta,
    },
  });
  await tenantTable(db, 'functions', {
    columns: {
      name: 'text not null',
      description: 'text',
      project_leader: flag,
      wage_profile_id: 'bigint',
      ...meta,
    },
    references: { wage_profile_id: 'wage_profiles' },
    indexes: [['name']],
  });
  await tenantTable(db, 'locations', {
    columns: {
      name: 'text not null',
      code: 'text',
      line_1: 'text',
      line_2: 'text',
      zip: 'text',
      city: 'text',
      country: 'text',
      latitude: 'numeric(9,6) check (latitude between -90 and 90)',
      longitude: 'numeric(9,6) check (longitude between -180 and 180)',
      time_zone: 'text',
      deleted: flag,
    },
  });
  await tenantView(
    db,
    'locations_view',
    `select l.*,
      nullif(concat_ws(', ', nullif(l.line_1, ''), nullif(l.line_2, ''),
        nullif(concat_ws(' ', nullif(l.zip, ''), nullif(l.city, '')), ''), nullif(l.country, '')), '') as address
    from locations l`,
  );
  await tenantTable(db, 'automations', {
    columns: {
      trigger_type: 'text not null',
      trigger_configuration: 'text not null',
      routine_type: 'text not null',
      routine_configuration: 'text not null',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
    },
  });
};
