import { type SqlBool, sql } from 'kysely';
import type { Json } from '../core/call/reply.ts';
import { decode, encode } from '../core/resource/codec.ts';
import { completeSet, type FieldSet, type Restriction } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { ChangedRecord, Result, Statement, Transaction } from '../db/database.ts';
import { newId } from '../db/ids.ts';
import { now } from '../db/now.ts';
import { slotKinds, slotsOf, slotTableOf } from '../db/slots.ts';
import { restrictionShape, restrictionSql, sourceOf } from '../query/source.ts';
import { bind, column, compiler, place, placesOf, Slot, type Template, template } from '../query/statement.ts';
import type { Values } from './body.ts';

/** What a write has done with a record. */
export interface Written {
  readonly id: number;
  readonly outcome: 'created' | 'updated' | 'unchanged';
}

/**
 * The stored fields of one record as answers show them, its row locked until the transaction ends; null if there is none that the API
 * user may read.
 * Read from the resource's source, after the lock: what a client can have read is what its body is compared with.
 */
export const lock = async (set: FieldSet, id: number, transaction: Transaction): Promise<Values | null> => {
  const { table, source, key } = set.resource;
  const fields = stored(set);
  const locking = template(`lock|${table}`, () =>
    compiler.selectFrom(`${table} as r`).select(sql`1`.as('locked')).where(hasKey('r', key)).forUpdate().compile(),
  );
  const { restriction } = set;
  const reading = template(`stored|${source}|${placesOf(fields)}|${restrictionShape(restriction)}`, () =>
    sourceOf(set.resource, fields)
      .select(fields.map(field => sql`${column(field)}`.as(place(field))))
      .where(hasKey('r', key))
      .$if(restriction !== undefined, query => query.where(restrictionSql(restriction as Restriction)))
      .compile(),
  );
  const values = [String(transaction.tenant.id), String(id)];
  const [locked, result] = await transaction.send(bind(locking, values), bind(reading, values));
  const [row] = (result as Result).rows;
  // One that has been added in between is not locked.
  if (!row || locked?.rows.length === 0) return null;
  return Object.fromEntries(fields.map(({ name, type }, index) => [name, decode(type, row[index] as string | null)]));
};

/**
 * Adds a record, with the next trip, and returns its id, which the values have only where it is that of another record.
 * @param copied what it copies from other records, in columns that are none of its fields
 */
export const insert = async (
  set: FieldSet,
  values: Values,
  transaction: Transaction,
  copied: Readonly<Record<string, number>> = {},
): Promise<number> => {
  const { table, key } = set.resource;
  const fields = written(set, values).filter(({ storage }) => !storage);
  const columns = [key, ...Object.keys(copied)];
  const made = template(`insert|${table}|${columns}|${fields.map(place)}`, () =>
    compiler
      .insertInto(table)
      .values({
        ...Object.fromEntries(columns.map((column, index) => [column, new Slot(1 + index)])),
        ...assignments(fields, 1 + columns.length),
      })
      .compile(),
  );
  const id = Object.hasOwn(values, key) ? Number(values[key]) : await newId(transaction, table);
  const leading = [transaction.tenant.id, id, ...Object.values(copied)].map(String);
  const records = [recordOf(id, values)];
  void transaction.defer(
    { ...bindFields(made, fields, values, leading), records },
    ...insertBeside(set, id, values, transaction),
  );
  return id;
};

/** Adds records, many with each statement, with the next trip. */
export const insertAll = async (set: FieldSet, records: readonly Values[], transaction: Transaction): Promise<void> => {
  const { table, key } = set.resource;
  const fields = stored(set).filter(({ name }) => records.some(values => Object.hasOwn(values, name)));
  const width = 1 + fields.length;
  for (let start = 0; start < records.length; start += ROWS) {
    const chunk = records.slice(start, start + ROWS);
    const ids = await transaction.newIds(table, chunk.length);
    const made = template(`insert|${table}|${fields.map(place)}|${chunk.length}`, () =>
      compiler
        .insertInto(table)
        .values(chunk.map((_, row) => ({ [key]: new Slot(1 + row * width), ...assignments(fields, 2 + row * width) })))
        .compile(),
    );
    const cells = chunk.flatMap((values, row) => [
      String(ids[row]),
      ...fields.map(({ name, type }) => encode(type, values[name] ?? null)),
    ]);
    void transaction.defer({ ...bind(made, [String(transaction.tenant.id), ...cells]), name: null });
  }
};

/** The number of a statement's values is limited. */
const ROWS = 500;

/**
 * Changes the given fields of one record, and the time of its last change where it has one; with the next trip.
 * @param before the record, which is locked
 */
export const update = (set: FieldSet, id: number, values: Values, before: Values, transaction: Transaction): void => {
  const { table, key } = set.resource;
  const fields = written(set, values).filter(({ storage }) => !storage);
  const touched = set.byName.has('updated_at');
  const statements = updateBeside(set, id, values, transaction);
  if (touched || fields.length > 0) {
    const made = template(`update|${table}|${fields.map(place)}`, () =>
      compiler
        .updateTable(table)
        .set({ ...assignments(fields, 2), ...(touched && { updated_at: now }) })
        .where(hasKey(table, key))
        .compile(),
    );
    const records = [recordOf(id, { ...before, ...values })];
    statements.push({ ...bindFields(made, fields, values, [String(transaction.tenant.id), String(id)]), records });
  }
  void transaction.defer(...statements);
};

/** A record as the statement that writes it is certain to change it. Not all that have an external id can be addressed by it. */
const recordOf = (id: number, { external_id: externalId = null }: Values): ChangedRecord => ({
  id: String(id),
  externalId: externalId as string | null,
});

/** What lies beside a record, which always has a row there. */
const besideRecord = (id: number): ChangedRecord => ({ id: String(id), externalId: undefined });

/** Those of the values that lie beside the resource's table: the columns they go to, and the texts of their values. */
const besideOf = (set: FieldSet, values: Values) => {
  const fields = written(set, values).filter(({ storage }) => storage);
  const columns = fields.filter(({ storage }) => storage?.member === undefined);
  const members = fields.filter(({ storage }) => storage?.member !== undefined);
  const [more] = members.flatMap(({ storage }) => storage?.column ?? []);
  const merge = Object.fromEntries(
    members.map(({ name, type, storage }) => [storage?.member, memberOf(type, values[name] ?? null)]),
  );
  const cells = columns.map(({ name, type }) => encode(type, values[name] ?? null));
  return {
    names: fields.map(({ name }) => name),
    columns,
    more,
    cells: more ? [...cells, JSON.stringify(merge)] : cells,
  };
};

/** Adds the row beside a new record, if its resource has such rows. */
const insertBeside = (set: FieldSet, id: number, values: Values, transaction: Transaction): Statement[] => {
  if (!set.resource.dynamic) return [];
  const table = slotTableOf(set.resource.table);
  const { names, columns, more, cells } = besideOf(set, values);
  const made = template(`insert|${table}|${columns.map(place)}|${more}`, () =>
    compiler
      .insertInto(table)
      .values({
        id: new Slot(1),
        ...assignments(columns, 2),
        ...(more && { [more]: sql`jsonb_strip_nulls(${new Slot(2 + columns.length)}::jsonb)` }),
      })
      .compile(),
  );
  const statement = bind(made, [String(transaction.tenant.id), String(id), ...cells]);
  return [{ ...statement, fields: names, records: [besideRecord(id)] }];
};

/** Changes those of the values that lie beside the resource's table. */
const updateBeside = (set: FieldSet, id: number, values: Values, transaction: Transaction): Statement[] => {
  const table = slotTableOf(set.resource.table);
  const { names, columns, more, cells } = besideOf(set, values);
  if (cells.length === 0) return [];
  const made = template(`update|${table}|${columns.map(place)}|${more}`, () =>
    compiler
      .updateTable(table)
      .set({ ...assignments(columns, 2), ...(more && { [more]: merged(table, more, 2 + columns.length) }) })
      .where(hasKey(table, 'id'))
      .compile(),
  );
  const statement = bind(made, [String(transaction.tenant.id), String(id), ...cells]);
  return [{ ...statement, fields: names, records: [besideRecord(id)] }];
};

/** Empties the row beside a record of what it still has of deleted fields; `update` clears the others. */
export const emptyBeside = async ({ table: name }: Resource, id: number, transaction: Transaction): Promise<void> => {
  const table = slotTableOf(name);
  const made = template(`empty|${table}`, () => {
    const columns = [...slotKinds.flatMap(slotsOf), 'more'];
    return compiler
      .updateTable(table)
      .set(Object.fromEntries(columns.map(slot => [slot, sql`null`])))
      .where(hasKey(table, 'id'))
      .where(({ or, eb }) => or(columns.map(slot => eb(slot, 'is not', null))))
      .compile();
  });
  await transaction.send({ ...bind(made, [String(transaction.tenant.id), String(id)]), fields: [] });
};

/** The members of a jsonb column with others over them; a null takes one away. */
const merged = (table: string, name: string, slot: number) =>
  sql`jsonb_strip_nulls(coalesce(${sql.id(table, name)}, '{}') || ${new Slot(slot)}::jsonb)`;

/** A value as a member of a jsonb column has it: the text of a flag is that of a boolean. */
const memberOf = (type: Field['type'], value: Json): Json => (type === 'flag' && value !== null ? value === 1 : value);

/** Removes one record, with the next trip; a foreign key that still refers to it makes the statement fail. */
export const remove = (set: FieldSet, id: number, transaction: Transaction): void => {
  const { table, key } = set.resource;
  const made = template(`remove|${table}`, () => compiler.deleteFrom(table).where(hasKey(table, key)).compile());
  void transaction.defer(bind(made, [String(transaction.tenant.id), String(id)]));
};

/** The record whose id is the first value after the tenant. */
const hasKey = (table: string, key: string) => sql<SqlBool>`${sql.id(table, key)} = ${new Slot(1)}::bigint`;

const storedFields = new WeakMap<FieldSet, readonly Field[]>();

const stored = (set: FieldSet): readonly Field[] => {
  const fields = storedFields.get(set) ?? completeSet(set).fields.filter(({ computed }) => !computed);
  storedFields.set(set, fields);
  return fields;
};

/** In the set's order, so that the same fields always make the same statement. */
const written = (set: FieldSet, values: Values): readonly Field[] =>
  stored(set).filter(({ name }) => Object.hasOwn(values, name));

const assignments = (fields: readonly Field[], start: number): Record<string, Slot> =>
  Object.fromEntries(fields.map(({ name, storage }, index) => [storage?.column ?? name, new Slot(start + index)]));

const bindFields = (made: Template, fields: readonly Field[], values: Values, leading: readonly string[]): Statement =>
  bind(made, [...leading, ...fields.map(({ name, type }) => encode(type, values[name] ?? null))]);
