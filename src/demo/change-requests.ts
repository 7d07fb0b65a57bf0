import { sql } from 'kysely';
import type { components } from '../../generated/api.ts';
import { selects } from '../attributes/attributes.ts';
import { fieldName } from '../attributes/fields.ts';
import type { Transaction } from '../db/database.ts';

const referring = [...selects, 'file'] as components['schemas']['AttributeType'][];

/** Adds changes with ids as values to the first change request: one for each select field, and one to the given file. */
export const addChanges = async ({ kysely }: Transaction, fileId: number): Promise<void> => {
  const attributes = await kysely
    .selectFrom('attributes as a')
    .innerJoin('forms as f', 'f.id', 'a.entity_id')
    .select(['a.id', 'a.identifier', 'a.name', 'a.type', 'a.collection_id'])
    .where('f.entity', '=', 'employees')
    .where('a.type', 'in', referring)
    .orderBy('a.id')
    .execute();
  const values = await kysely.selectFrom('collection_values').select(['id', 'collection_id']).orderBy('id').execute();
  const changes = attributes.map(({ id, identifier, name, type, collection_id }) => {
    const ids = values.filter(value => value.collection_id === collection_id).map(value => value.id);
    const [old_value, new_value] = type === 'file' ? [null, fileId] : [ids[0], ids.at(-1)];
    const shown = type === 'multi_select' ? [[old_value], [new_value]] : [old_value, new_value];
    return {
      attribute_id: id,
      field: fieldName({ id, identifier }),
      name,
      type,
      old_value: shown[0],
      new_value: shown[1],
    };
  });
  const first = kysely.selectFrom('change_requests').select('id').orderBy('id').limit(1);
  await kysely
    .updateTable('change_requests')
    .set({ changes: sql`changes || ${JSON.stringify(changes)}::jsonb` })
    .where('id', '=', first)
    .execute();
};
