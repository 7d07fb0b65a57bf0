import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Field } from '../core/resource.ts';
import type { Statement } from '../db/database.ts';
import type { Selection } from './source.ts';
import { bind, compiler, place, Slot, template } from './statement.ts';

/** A column of a selection, by its name there, or a field whose values are gathered. */
type Listed = Pick<Field, 'name' | 'gathered'> & Partial<Field>;

/**
 * The rows with the values that functions of the database gather for all of them together, in the same statement: `columns` in that
 * order. The rows have their key and what they are ordered by among their columns. As they are, if nothing is to be gathered.
 */
export const gatherOver = (
  rows: Selection,
  columns: readonly Listed[],
  key: string,
  order: readonly { readonly name: string; readonly descending: boolean }[],
): Selection => {
  const gathered = columns.filter(column => column.gathered);
  if (gathered.length === 0) return rows;
  // Built apart, it would be bound to the tenant before it is known that it reads no table.
  const keys = compiler
    .withoutPlugins()
    .selectFrom('page as p')
    .select(sql`${sql.id('p', key)}`.as('key'));
  let query: Selection = compiler.with('page', () => rows).selectFrom('page as r');
  for (const { name, gathered: gatherer = '' } of gathered)
    query = query.leftJoin(valuesOf(gatherer, sql`array(${keys})`).as(name), join =>
      join.on(sql<SqlBool>`${sql.id(name, 'id')} = ${sql.id('r', key)}`),
    );
  query = query.select(
    columns.map(column =>
      (column.gathered ? sql`${sql.id(column.name, 'value')}` : sql`${sql.id('r', place(column))}`).as(place(column)),
    ),
  );
  for (const { name, descending } of order) query = query.orderBy(sql.id('r', name), descending ? 'desc' : 'asc');
  return query;
};

/** The values of a gathered field for the given keys: rows of a key and a value. */
export const gatherStatement = (gatherer: string, keys: readonly string[], tenantId: number): Statement => {
  const made = template(`gather|${gatherer}`, () =>
    compiler
      .selectFrom(valuesOf(gatherer, sql`${new Slot(1)}::bigint[]`).as('g'))
      .select([sql`g.id`.as('id'), sql`g.value`.as('value')])
      .compile(),
  );
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};

/** The call of a function; its name is the text's, so that the call can be told from a table (see tenant-binding.ts). */
const valuesOf = (gatherer: string, keys: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql([`${gatherer}(`, '::bigint, ', ')'] as unknown as TemplateStringsArray, new Slot(0), keys);
