import { sql } from 'kysely';
import { decode } from '../../core/resource/codec.ts';
import type { FieldSet } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import type { Result, Row, Transaction } from '../../db/database.ts';
import { journalTables } from '../../db/journal/tables.ts';
import { readable, restrictionShape, selectionOf, sourceOf } from '../../query/source.ts';
import { bind, compiler, placesOf, type StatementTemplate, template } from '../../query/statement.ts';
import type { Values } from '../body.ts';
import { hasKey, readBefore } from './columns.ts';
import { isAmong, keyed } from './each.ts';

/** A record that is locked until the transaction ends. */
export interface Locked {
  readonly id: number;
  /** Its stored fields as responses show them. */
  readonly before: Values;
  /** The fields that show a value of another record, or none, because they have none of their own. */
  readonly inherited: ReadonlySet<string>;
}

/**
 * Locks one record until the transaction ends; null if there is none that the API user may read.
 * Its values are read from the resource's source, after the lock: what a client can have read is what its body is compared with.
 */
export const lock = async (set: FieldSet, id: number, transaction: Transaction): Promise<Locked | null> => {
  const { table, key } = set.resource;
  const fields = readBefore(set);
  const inheriting = [...inheritingOf(table)];
  const locking = template(`lock|${table}`, () => lockingQuery(table).where(hasKey('r', key)).compile(), {
    compile: () => lockingQuery(table).select(keyed('r', key)).where(isAmong('r', key)).orderBy(`r.${key}`).compile(),
    gives: 'keyed',
  });
  const reading = readTemplate(set, fields);
  const values = [String(transaction.tenant.id), String(id)];
  const [locked, result] = await transaction.send(bind(locking, values), bind(reading, values));
  const [row] = (result as Result).rows;
  const [own] = (locked as Result).rows;
  // One that has been added in between is not locked.
  if (!row || !own) return null;
  const inherited = new Set(inheriting.filter((_, index) => own[1 + index] === 't'));
  return { id, before: decoded(fields, row), inherited };
};

const lockingQuery = (table: string) =>
  compiler
    .selectFrom(`${table} as r`)
    .select([sql`1`.as('locked'), ...[...inheritingOf(table)].map(name => sql`${sql.id('r', name)} is null`.as(name))])
    .forUpdate();

/** The values of fields in a row. */
export const decoded = (fields: readonly Field[], row: Row = []): Values =>
  Object.fromEntries(fields.map(({ name, type }, index) => [name, decode(type, row[index] ?? null)]));

/** The statement that reads fields of the record whose id is the first value after the tenant. */
export const readTemplate = (set: FieldSet, fields: readonly Field[]): StatementTemplate => {
  const { resource, restriction } = set;
  const { key, source } = resource;
  const query = () => readable(sourceOf(set, fields).select(selectionOf(fields)), set);
  return template(
    `stored|${source}|${placesOf(fields)}|${restrictionShape(restriction)}`,
    () => query().where(hasKey('r', key)).compile(),
    { compile: () => query().select(keyed('r', key)).where(isAmong('r', key)).compile(), gives: 'keyed' },
  );
};

/** The columns of a table that show another record's value where they have none. */
export const inheritingOf = (table: string): ReadonlySet<string> => journalTables.get(table)?.inheriting ?? new Set();
