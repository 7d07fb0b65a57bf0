import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Call } from '../../core/call/call.ts';
import { completeFields, type FieldSet } from '../../core/resource/fields.ts';
import { marksOf } from '../../core/resource/marks.ts';
import { referencesOf } from '../../core/resource/references.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import { arrayLiteral } from '../../db/values.ts';
import { type AnyTables, bind, column, columnTypes, compiler, Slot, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import type { PartRecords } from './parts.ts';

/** Files by the field that others refer to them by: `id` or `path`. */
type HeldFiles = ReadonlyMap<string, ReadonlySet<string>>;

/** Files that have been removed. */
export interface Removed {
  readonly ids: readonly number[];
  readonly paths: readonly string[];
}

/** Returns the files that a person's record and its parts refer to in fields that are cleared. */
export const readFiles = async (
  { fields, resource: { forgettable } }: FieldSet,
  before: Values,
  records: readonly PartRecords[],
  transaction: Transaction,
): Promise<HeldFiles> => {
  const kysely: Kysely<AnyTables> = transaction.kysely;
  const held = new Map<string, Set<string>>();
  const add = (by: string, value: unknown) => held.set(by, (held.get(by) ?? new Set()).add(String(value)));
  for (const { name, by } of fields.flatMap(field => holdingOf(field, forgettable?.files)))
    for (const value of [before[name] ?? []].flat()) add(by, value);
  const places = records.flatMap(({ part, ids }) =>
    part.cleared.flatMap(({ column, file }) => (file === undefined ? [] : [{ ...part, ids, column, by: file }])),
  );
  const found = await transaction.run(
    ...places.map(({ table, key, ids, column }) =>
      kysely.selectFrom(table).select(`${column} as value`).where(key, '=', oneOf(ids)).where(column, 'is not', null),
    ),
  );
  for (const [index, { by }] of places.entries()) for (const { value } of found[index] ?? []) add(by, value);
  return held;
};

/** Removes the records of files that nothing refers to any more, which are locked first. */
export const removeUnheld = async (
  held: HeldFiles,
  resource: string,
  { resources, fields }: Pick<Call, 'resources' | 'fields'>,
  transaction: Transaction,
): Promise<Removed> => {
  const files = resources[resource];
  const found = files && held.size > 0 ? await lockFiles(held, files, transaction) : [];
  if (!files || found.length === 0) return { ids: [], paths: [] };
  const kysely: Kysely<AnyTables> = transaction.kysely;
  const holders = Object.values(resources).flatMap(({ name, table }) =>
    name === resource
      ? []
      : completeFields(fields)
          .get(resources[name] as Resource)
          .fields.flatMap(field => holdingOf(field, resource).map(({ by }) => ({ table, field, by }))),
  );
  const results = await transaction.run(
    ...holders.map(({ table, field, by }) => {
      const values = arrayLiteral(found.map(file => String(file[by])));
      return kysely
        .selectFrom(field.storage ? `${field.storage.table} as d` : `${table} as r`)
        .select(sql<unknown>`${column(field)}`.as('value'))
        .distinct()
        .where(sql<SqlBool>`${column(field)} = any(${values}::${columnTypes[field.type]}[])`);
    }),
  );
  const kept = holders.map(({ by }, index) => ({ by, values: new Set(results[index]?.map(row => String(row.value))) }));
  const unheld = found.filter(file => !kept.some(({ by, values }) => values.has(String(file[by]))));
  const ids = unheld.map(({ id }) => Number(id));
  const records = unheld.map(file => ({ id: String(file.id), externalId: null, fields: marksOf(files, file) }));
  if (ids.length > 0)
    await transaction.send({ ...bind(removal(files), [String(transaction.tenant.id), arrayLiteral(ids)]), records });
  return { ids, paths: unheld.map(({ path }) => String(path)) };
};

/** Returns by what the field refers to files, if it does. */
const holdingOf = (
  field: Field,
  files: string | undefined,
): readonly { readonly name: string; readonly by: string }[] =>
  field.computed
    ? []
    : referencesOf(field)
        .filter(({ resource }) => resource === files)
        .map(({ by }) => ({ name: field.name, by: by ?? 'id' }));

const lockFiles = async (
  held: HeldFiles,
  { table, readWhereReferred: readable }: Resource,
  transaction: Transaction,
): Promise<readonly Values[]> => {
  const kysely: Kysely<AnyTables> = transaction.kysely;
  const listOf = (by: string): string => arrayLiteral([...(held.get(by) ?? [])]);
  const [found] = await transaction.run(
    kysely
      .selectFrom(table)
      .select(['id', 'path', ...(readable ? [readable.own, readable.open.field] : [])])
      .where(sql<SqlBool>`(id = any(${listOf('id')}::bigint[]) or path = any(${listOf('path')}::text[]))`)
      .orderBy('id')
      .forUpdate(),
  );
  return found as readonly Values[];
};

const removal = ({ table }: Resource) =>
  template(`unheld|${table}`, () =>
    compiler
      .deleteFrom(table)
      .where(sql<SqlBool>`id = any(${new Slot(1)}::bigint[])`)
      .compile(),
  );
