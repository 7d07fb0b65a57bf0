import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Restriction } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { column, compiler, place, Slot } from './statement.ts';

// biome-ignore lint/suspicious/noExplicitAny: tables and columns come from the resource table, not from a static type
export type Selection = SelectQueryBuilder<any, any, any>;

/**
 * The source of the fields: the resource's table, view or function as `r` and, if a field is stored in a separate table, that table as `d`.
 * Each record has a row in `d`, so an inner join loses none and can use an index of either side. Without such a field the join is
 * left out, so that Postgres does not have to plan for that table's many indexes.
 */
export const sourceOf = (resource: Resource, fields: readonly Field[]): Selection => {
  const { source, key, called } = resource;
  if (called) return compiler.selectFrom(callOf(resource));
  const query: Selection = compiler.selectFrom(`${source} as r`);
  const [beside] = fields.flatMap(({ storage }) => storage?.table ?? []);
  return beside ? query.innerJoin(`${beside} as d`, 'd.id', `r.${key}`) : query;
};

/** The columns of fields, each under a name that is the same for all tenants. */
export const selectionOf = (columns: readonly Field[]) => columns.map(field => sql`${column(field)}`.as(place(field)));

/** The number of values that a function is called with after the tenant's id: they are in the first slots after it. */
export const givenTo = ({ called }: Resource): number => (called ? 2 : 0);

/** The columns of a resource's function; those of functions have no collation, unlike those of tables and views. */
const callOf = ({ source, fields }: Resource) => {
  // The name is part of the SQL string, not an identifier node, so that it is not taken for a table (see tenant-binding.ts).
  const call = [`${source}(`, '::bigint, ', '::text, ', '::bigint)'] as unknown as TemplateStringsArray;
  return compiler
    .selectFrom(sql(call, new Slot(0), new Slot(1), new Slot(2)).as('f'))
    .select(
      fields.map(({ name, type }) =>
        (type === 'text' ? sql`${sql.id('f', name)} collate "und-x-icu"` : sql.id('f', name)).as(name),
      ),
    )
    .as('r');
};

/** A cache key of a restriction: equal for restrictions with the same SQL. */
export const restrictionShape = (restriction: Restriction | undefined): string =>
  restriction
    ? JSON.stringify([restriction.userId, restriction.holders.map(({ table, field, by }) => [table, place(field), by])])
    : '';

/** The SQL condition that the API user may read a record, of alias `r`. */
export const restrictionSql = ({ userId, own, open, holders }: Restriction): RawBuilder<SqlBool> => {
  const referred = holders.map(({ table, field, by }) => {
    const values = compiler
      .selectFrom(field.storage ? `${field.storage.table} as d` : `${table} as r`)
      .select(sql`${column(field)}`.as('value'))
      .where(sql<SqlBool>`${column(field)} is not null`);
    return sql<SqlBool>`${sql.id('r', by)} in ${values}`;
  });
  const alternatives = [
    sql<SqlBool>`${sql.id('r', own)} = ${sql.lit(userId)}`,
    sql<SqlBool>`${sql.id('r', open.field)} = ${sql.lit(open.value)}`,
    ...referred,
  ];
  return sql`(${sql.join(alternatives, sql` or `)})`;
};
