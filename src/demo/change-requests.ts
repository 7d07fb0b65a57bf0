import { sql } from 'kysely';
import type { components } from '../../generated/api.ts';
import { selects } from '../attributes/attributes.ts';
import { fieldName } from '../attributes/fields.ts';
import type { Transaction } from '../db/database.ts';

const referring = [...selects, 'file'] as components['schemas']['AttributeType'][];

/**
 * Adds changes with ids as values to the first change request.
 * There is one for each select field, and one to the given file.
 */
export const addChanges = async (transaction: Transaction, fileId: number): Promise<void> => {
  const { kysely } = transaction;
  const attributes = await kysely
    .selectFrom('attributes as a')
    .innerJoin('forms as f', 'f.id', 'a.entity_id')
    .select(['a.id', 'a.identifier', 'a.name', 'a.type', 'a.collection_id'])
    .where('f.entity', '=', 'employees')
    .where('a.type', 'in', referring)
    .orderBy('a.id')
    .execute();
  const values = await kysely.selectFrom('collection_values').select(['id', 'collection_id']).orderBy('id').execute();
  const [result] = await transaction.send({
    name: null,
    text: `
      select r.id, to_jsonb(e) || to_jsonb(d),
        (select jsonb_object_agg(f.id, f.slot) from dynamic_fields f where f.tenant_id = $1)
      from change_requests r
      join employees e on e.tenant_id = $1 and e.id = r.entity_id
      join dynamic_employees d on d.tenant_id = $1 and d.id = e.id
      where r.tenant_id = $1
      order by r.id limit 1`,
    values: [String(transaction.tenant.id)],
  });
  const [first, current = {}, slots = {}] = (result?.rows[0] ?? []).map(text => JSON.parse(text ?? 'null'));
  const changes = attributes.map(({ id, identifier, name, type, collection_id }) => {
    const ids = values.filter(value => value.collection_id === collection_id).map(value => value.id);
    const field = fieldName({ id, identifier });
    const wanted = type === 'file' ? fileId : ids.at(-1);
    return {
      attribute_id: id,
      field,
      name,
      type,
      old_value: current[slots[id] ?? field] ?? null,
      new_value: type === 'multi_select' ? [wanted] : wanted,
    };
  });
  await kysely
    .updateTable('change_requests')
    .set({ changes: sql`changes || ${JSON.stringify(changes)}::jsonb` })
    .where('id', '=', first)
    .execute();
};
