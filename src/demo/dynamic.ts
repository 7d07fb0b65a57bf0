import { registerField } from '../attributes/registration.ts';
import type { Category } from '../core/resource/categories.ts';
import { newId, withIds } from '../db/ids.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import { createRandom, type Random } from './random.ts';

/** A field that a tenant defines, and its values. */
export interface DemoField {
  readonly entity: 'clients' | 'contacts' | 'employees';
  readonly name: string;
  readonly type: string;
  /** Category of sensitive data; null: none. */
  readonly category?: Category;
  /** The choices of a select, stored in a collection with the name of the field. */
  readonly choices?: readonly string[];
  /** For each choice the position of its parent choice, counted from 1; null: none. */
  readonly under?: readonly (number | null)[];
  /**
   * Returns the value of a record: for a select the position of a choice, otherwise the column's string.
   * Null: none.
   */
  readonly value: (random: Random, id: number) => string | number | null;
}

const sizes = ['XS', 'S', 'M', 'L', 'XL', 'XXL'];
const regions = ['North', 'Hamburg', 'Bremen', 'South', 'München', 'Nürnberg'];
const branches = ['Hotel', 'Catering', 'Trade fair', 'Concert', 'Sports'];

const demoFields: readonly DemoField[] = [
  { entity: 'clients', name: 'Customer number', type: 'text', value: (_, id) => `K-${String(id).padStart(5, '0')}` },
  { entity: 'clients', name: 'Branch', type: 'select', choices: branches, value: random => random.integer(1, 5) },
  { entity: 'clients', name: 'Discount in percent', type: 'number', value: random => random.integer(0, 30) / 2 },
  { entity: 'clients', name: 'Newsletter', type: 'boolean', value: random => String(random.chance(0.4)) },
  {
    entity: 'contacts',
    name: 'Department',
    type: 'text',
    value: random => random.pick(['Events', 'Purchasing', 'Staff']),
  },
  { entity: 'employees', name: 'Shirt size', type: 'select', choices: sizes, value: random => random.integer(1, 6) },
  {
    entity: 'employees',
    name: 'Region',
    type: 'level_select',
    choices: regions,
    under: [null, 1, 1, null, 4, 4],
    value: (_, id) => [2, 3, 5, 6][id % 4] ?? null,
  },
  { entity: 'employees', name: 'Driving licence', type: 'boolean', value: random => String(random.chance(0.6)) },
  {
    entity: 'employees',
    name: 'Health certificate until',
    type: 'date',
    category: 'health',
    value: random => (random.chance(0.7) ? `2027-0${random.integer(1, 9)}-15` : null),
  },
  { entity: 'employees', name: 'Health certificate', type: 'file', category: 'health', value: () => null },
];

/**
 * Adds attributes to the forms of clients, contacts and employees.
 * Sets their values in all existing records.
 * @returns the number of added rows by table
 */
export const addDynamicFields = async (
  transaction: OwnerTransaction,
  fields: readonly DemoField[] = demoFields,
): Promise<Readonly<Record<string, number>>> => {
  const random = createRandom(1);
  for (const field of fields) await addField(transaction, field, random);
  const offered = fields.flatMap(({ choices }) => choices ?? []);
  const collections = fields.filter(({ choices }) => choices).length;
  return { attributes: fields.length, collections, collection_values: offered.length };
};

const addField = async (transaction: OwnerTransaction, field: DemoField, random: Random): Promise<void> => {
  const { kysely, tenantId } = transaction;
  const { entity, name, type, category = null } = field;
  const collection = field.choices ? await addCollection(transaction, field, field.choices) : null;
  const form = await kysely.selectFrom('forms').select('id').where('entity', '=', entity).executeTakeFirstOrThrow();
  const id = await newId(transaction, 'attributes');
  await kysely
    .insertInto('attributes')
    .values({ id, entity_id: form.id, name, type, category, collection_id: collection?.id ?? null, order: 100 })
    .execute();
  await registerField(tenantId, { id, type, entity }, transaction);
  const records = await kysely.selectFrom(entity).select('id').orderBy('id').execute();
  const values = records.map((record, index) => {
    const value = field.value(random, index + 1);
    return { id: record.id, value: collection && typeof value === 'number' ? collection.values[value - 1] : value };
  });
  const [slot] = await transaction.send({
    name: null,
    text: 'select slot from dynamic_fields where tenant_id = $1 and id = $2',
    values: [String(tenantId), String(id)],
  });
  const column = String(slot?.rows[0]?.[0]);
  await transaction.send({
    name: null,
    text: `update dynamic_${entity} d set ${column} = v.${column}
      from json_populate_recordset(null::dynamic_${entity}, $2::json) v
      where d.tenant_id = $1 and d.id = v.id returning d.id as journal_id`,
    values: [
      String(tenantId),
      JSON.stringify(values.map(({ id: record, value }) => ({ id: record, [column]: value }))),
    ],
    fields: [`dynamic_field_${id}`],
  });
};

const addCollection = async (
  transaction: OwnerTransaction,
  { name, under = [] }: DemoField,
  choices: readonly string[],
): Promise<{ readonly id: number; readonly values: readonly number[] }> => {
  const { kysely } = transaction;
  const id = await newId(transaction, 'collections');
  await kysely.insertInto('collections').values({ id, name }).execute();
  const values = choices.map((choice, index) => ({ collection_id: id, name: choice, order: index + 1 }));
  const rows = await withIds(transaction, 'collection_values', values);
  await kysely.insertInto('collection_values').values(rows).execute();
  const ids = rows.map(row => row.id);
  for (const [index, above] of under.entries()) {
    const own = ids[index];
    if (above !== null && own !== undefined)
      await kysely
        .updateTable('collection_values')
        .set({ parent_id: ids[above - 1] })
        .where('id', '=', own)
        .execute();
  }
  return { id, values: ids };
};
