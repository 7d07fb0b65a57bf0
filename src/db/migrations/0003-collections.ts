import { type Definitions, tenantTable } from '../schema.ts';

const no = 'boolean not null default false';
const yes = 'boolean not null default true';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };

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
      type: 'text not null',
      type_id: 'integer not null',
      collection_id: 'bigint',
      language_id: 'bigint',
      required: no,
      order: 'integer not null default 0',
      deletable: yes,
      is_locked_employees: no,
      ...meta,
    },
    references: { entity_id: 'forms', collection_id: 'collections', language_id: 'languages' },
  });
};
