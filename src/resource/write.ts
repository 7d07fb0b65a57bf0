import { type SqlBool, sql } from 'kysely';
import type { Result, Row, Statement, Transaction } from '../db/database.ts';
import { bind, column, compiler, Slot, type Template, template } from '../query/statement.ts';
import type { Values } from './body.ts';
import { decode, encode } from './codec.ts';
import type { FieldSet } from './fields.ts';
import type { Field } from './resource.ts';

/**
 * The stored fields of one record as answers show them, its row locked until the transaction ends; null if there is none.
 * Read from the resource's source, after the lock: what a client can have read is what its body is compared with.
 */
export const lock = async (set: FieldSet, id: number, transaction: Transaction): Promise<Values | null> => {
  const { table, source, key } = set.resource;
  const fields = stored(set);
  const locking = template(`lock|${table}`, () =>
    compiler.selectFrom(`${table} as r`).select(sql`1`.as('locked')).where(hasKey('r', key)).forUpdate().compile(),
  );
  const reading = template(`stored|${source}`, () =>
    compiler
      .selectFrom(`${source} as r`)
      .select(fields.map(field => sql`${column(field)}`.as(field.name)))
      .where(hasKey('r', key))
      .compile(),
  );
  const values = [String(transaction.tenant.id), String(id)];
  const [, result] = await transaction.send(bind(locking, values), bind(reading, values));
  const [row] = (result as Result).rows;
  if (!row) return null;
  return Object.fromEntries(fields.map(({ name, type }, index) => [name, decode(type, row[index] as string | null)]));
};

/** Adds a record and gives its id. */
export const insert = async (set: FieldSet, values: Values, transaction: Transaction): Promise<number> => {
  const { table, key } = set.resource;
  const fields = written(set, values);
  const made = template(`insert|${table}|${fields.map(({ name }) => name)}`, () =>
    compiler.insertInto(table).values(assignments(fields, 1)).returning(key).compile(),
  );
  const row = await first(transaction, bindFields(made, fields, values, [String(transaction.tenant.id)]));
  return Number(row?.[0]);
};

/** Changes the given fields of one record, and the time of its last change where it has one. */
export const update = async (set: FieldSet, id: number, values: Values, transaction: Transaction): Promise<void> => {
  const { table, key } = set.resource;
  const fields = written(set, values);
  const made = template(`update|${table}|${fields.map(({ name }) => name)}`, () => {
    const touched = set.byName.has('updated_at') ? { updated_at: sql`date_trunc('second', now())` } : {};
    return compiler
      .updateTable(table)
      .set({ ...assignments(fields, 2), ...touched })
      .where(hasKey(table, key))
      .compile();
  });
  await transaction.send(bindFields(made, fields, values, [String(transaction.tenant.id), String(id)]));
};

/** Removes one record; a foreign key that still refers to it makes the statement fail. */
export const remove = async (set: FieldSet, id: number, transaction: Transaction): Promise<void> => {
  const { table, key } = set.resource;
  const made = template(`remove|${table}`, () => compiler.deleteFrom(table).where(hasKey(table, key)).compile());
  await transaction.send(bind(made, [String(transaction.tenant.id), String(id)]));
};

/** The record whose id is the first value after the tenant. */
const hasKey = (table: string, key: string) => sql<SqlBool>`${sql.id(table, key)} = ${new Slot(1)}::bigint`;

const storedFields = new WeakMap<FieldSet, readonly Field[]>();

const stored = (set: FieldSet): readonly Field[] => {
  const fields = storedFields.get(set) ?? set.fields.filter(({ computed }) => !computed);
  storedFields.set(set, fields);
  return fields;
};

/** In the spec's order, so that the same fields always make the same statement. */
const written = (set: FieldSet, values: Values): readonly Field[] =>
  stored(set).filter(({ name }) => Object.hasOwn(values, name));

const assignments = (fields: readonly Field[], start: number): Record<string, Slot> =>
  Object.fromEntries(fields.map(({ name }, index) => [name, new Slot(start + index)]));

const bindFields = (made: Template, fields: readonly Field[], values: Values, leading: readonly string[]): Statement =>
  bind(made, [...leading, ...fields.map(({ name, type }) => encode(type, values[name] ?? null))]);

const first = async (transaction: Transaction, statement: Statement): Promise<Row | undefined> => {
  const [result] = await transaction.send(statement);
  return (result as Result).rows[0];
};
