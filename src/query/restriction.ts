import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Restriction } from '../core/resource/fields.ts';
import { column, compiler, place } from './statement.ts';

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
