import { type SqlBool, sql } from 'kysely';
import type { Call } from '../../core/call/call.ts';
import { completeFields, type FieldSet } from '../../core/resource/fields.ts';
import type { Cleared } from '../../core/resource/forgettable.ts';
import { marksOf } from '../../core/resource/marks.ts';
import { referencesOf } from '../../core/resource/references.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import type { Result, Transaction } from '../../db/database.ts';
import { arrayLiteral } from '../../db/values.ts';
import { bind, column, columnTypes, compiler, place, Slot, template } from '../../query/statement.ts';
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
  const held = new Map<string, Set<string>>();
  const add = (by: string, value: unknown) => held.set(by, (held.get(by) ?? new Set()).add(String(value)));
  for (const { name, by } of fields.flatMap(field => holdingOf(field, forgettable?.files)))
    for (const value of [before[name] ?? []].flat()) add(by, value);
  const places = records.flatMap(({ part, ids }) =>
    part.cleared.flatMap(cleared => (cleared.file === undefined || ids.length === 0 ? [] : [{ part, ids, cleared }])),
  );
  if (places.length === 0) return held;
  const tenantId = String(transaction.tenant.id);
  const results = await transaction.send(
    ...places.map(({ part, ids, cleared }) =>
      bind(valuesTemplate(part.table, part.key, cleared), [tenantId, arrayLiteral(ids)]),
    ),
  );
  for (const [index, { cleared }] of places.entries())
    for (const [value] of (results[index] as Result).rows) add(cleared.file ?? 'id', value);
  return held;
};

const valuesTemplate = (table: string, key: string, { column: name }: Cleared) =>
  template(`held|${table}|${name}`, () =>
    compiler
      .selectFrom(table)
      .select(name)
      .where(sql<SqlBool>`${sql.id(table, key)} = any(${new Slot(1)}::bigint[])`)
      .where(name, 'is not', null)
      .compile(),
  );

/** Removes the records of files that nothing refers to any more, which are locked first. */
export const removeUnheld = async (
  held: HeldFiles,
  resource: string,
  { resources, fields }: Pick<Call, 'resources' | 'fields'>,
  transaction: Transaction,
): Promise<Removed> => {
  const files = resources[resource];
  const none = { ids: [], paths: [] };
  if (!files || held.size === 0) return none;
  const tenantId = String(transaction.tenant.id);
  const [result] = await transaction.send(
    bind(lockTemplate(files), [tenantId, listOf(held.get('id')), listOf(held.get('path'))]),
  );
  const { columns, rows } = result as Result;
  const found = rows.map(row => Object.fromEntries(columns.map((name, index) => [name, String(row[index])])));
  if (found.length === 0) return none;
  const holders = Object.values(resources).flatMap(({ name, table }) =>
    name === resource
      ? []
      : completeFields(fields)
          .get(resources[name] as Resource)
          .fields.flatMap(field =>
            holdingOf(field, resource).map(({ by }) => ({ table, field, by: by as 'id' | 'path' })),
          ),
  );
  const results = await transaction.send(
    ...holders.map(({ table, field, by }) =>
      bind(holderTemplate(table, field), [tenantId, arrayLiteral(found.map(file => String(file[by])))]),
    ),
  );
  const kept = holders.map(({ by }, index) => ({
    by,
    values: new Set((results[index] as Result).rows.map(([value]) => value)),
  }));
  const unheld = found.filter(file => !kept.some(({ by, values }) => values.has(String(file[by]))));
  const ids = unheld.map(({ id }) => Number(id));
  const records = unheld.map(file => ({ id: String(file.id), externalId: null, fields: marksOf(files, file) }));
  if (ids.length > 0)
    await transaction.send({ ...bind(removeTemplate(files), [tenantId, arrayLiteral(ids)]), records });
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

const listOf = (values: ReadonlySet<string> = new Set()): string => arrayLiteral([...values]);

const lockTemplate = ({ table, readWhereReferred }: Resource) =>
  template(`forgotten|${table}`, () =>
    compiler
      .selectFrom(table)
      .select(['id', 'path', ...(readWhereReferred ? [readWhereReferred.own, readWhereReferred.open.field] : [])])
      .where(sql<SqlBool>`(id = any(${new Slot(1)}::bigint[]) or path = any(${new Slot(2)}::text[]))`)
      .orderBy('id')
      .forUpdate()
      .compile(),
  );

/** Reads those of the files that the field of any record refers to. */
const holderTemplate = (table: string, field: Field) =>
  template(`holding|${table}|${place(field)}`, () =>
    compiler
      .selectFrom(field.storage ? `${field.storage.table} as d` : `${table} as r`)
      .select(sql`${column(field)}`.as('value'))
      .distinct()
      .where(sql<SqlBool>`${column(field)} = any(${new Slot(1)}::${columnTypes[field.type]}[])`)
      .compile(),
  );

const removeTemplate = ({ table }: Resource) =>
  template(`unheld|${table}`, () =>
    compiler
      .deleteFrom(table)
      .where(sql<SqlBool>`id = any(${new Slot(1)}::bigint[])`)
      .compile(),
  );
