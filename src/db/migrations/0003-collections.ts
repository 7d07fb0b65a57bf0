import { sql } from 'kysely';
import { type Definitions, tenantTable, tenantView } from '../schema.ts';

const no = 'boolean not null default false';
const yes = 'boolean not null default true';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };

/** In the order of the API's enumeration; their positions are its `type_id`. */
const types = ['text', 'number', 'boolean', 'date', 'email', 'phone', 'select', 'multi_select', 'level_select', 'file'];
const typeNumber = `coalesce(array_position(array[${types.map(type => `'${type}'`).join(', ')}], type collate "C"), 0)`;

const collectionObjectsView = `
  select a.tenant_id, a.id, a.collection_id, 'attributes' collate "und-x-icu" as type, a.name, false as deleted,
    jsonb_build_object('entity_id', a.entity_id, 'entity', f.entity, 'type', a.type) as data
  from attributes a
  left join forms f on f.tenant_id = a.tenant_id and f.id = a.entity_id
  where a.collection_id is not null`;

/** What dynamic fields are made of: collections with their values, forms with their attributes. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'collections', {
    columns: { identifier: 'text', name: 'text not null', editable: yes, visible: yes, deleted: no },
    unique: [['identifier']],
  });
  await tenantTable(db, 'collection_values', {
    columns: {
      collection_id: 'bigint not null',
      identifier: 'text',
      name: 'text not null',
      order: 'integer not null default 0',
      parent_id: 'bigint',
      editable: yes,
      visible: yes,
      deleted: no,
      ...meta,
    },
    references: { collection_id: 'collections', parent_id: 'collection_values' },
  });
  await tenantTable(db, 'forms', {
    columns: { identifier: 'text', name: 'text not null', entity: 'text not null', ...meta },
    indexes: [['entity']],
  });
  await tenantTable(db, 'attributes', {
    columns: {
      entity_id: 'bigint not null',
      identifier: 'text',
      name: 'text not null',
      type: `text not null default 'text'`,
      type_id: `integer not null generated always as (${typeNumber}) stored constraint attributes_type_check check (type_id > 0)`,
      collection_id: 'bigint',
      language_id: 'bigint',
      required: no,
      order: 'integer not null default 0',
      options: 'jsonb',
      deletable: yes,
      is_locked_employees: no,
      ...meta,
    },
    references: { entity_id: 'forms', collection_id: 'collections', language_id: 'languages' },
  });
  // The numbers below are those of predefined attributes, the same in every tenant.
  await sql`alter table attributes alter column id restart with 1001`.execute(db);
  await tenantView(db, 'collection_objects_view', collectionObjectsView);
};
