import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Field } from '../../core/resource/resource.ts';
import { afterSql, boundsOf, conditionSql } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import type { Condition } from '../predicate.ts';
import type { OrderTerm } from '../sort.ts';
import { directionOf, isOfValues, limitOf, originsOf, type Selection, select, selectionOf, slots } from '../source.ts';
import { column } from '../statement.ts';
import { lookedFor, parts, recordsOf, tried } from './parts.ts';

/**
 * Whether a page in the order of the key has the records with a value that is the first of several, most of them of others. Postgres does
 * not know how many these are, and would compute the value of all.
 */
export const isOfValue = ({ set, order, conditions, limit }: ReadPlan, columns: readonly Field[]): boolean => {
  const [condition, ...others] = conditions;
  if (!condition?.field.firstOf || others.length > 0 || limit === null) return false;
  const isInOrderOfKey = order[0]?.field.name === set.resource.key;
  return isInOrderOfKey && isOfValues(condition) && columns.every(({ storage }) => !storage);
};

/**
 * Selects such a page. It is looked for among the records that come next, which fill it if many have the value; else among those that can
 * have it.
 */
export const selectOfValue = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after } = plan;
  const [condition] = plan.conditions as [Condition];
  const [key] = order as [OrderTerm];
  const own = column(key.field);
  const slot = slots(set.resource);
  conditionSql(condition, slot);
  const next = recordsOf(set)
    .select(sql`${own}`.as('key'))
    .$if(after !== null, query => query.where(afterSql(boundsOf(order, after ?? [], slot))))
    .orderBy(own, directionOf(key))
    .limit(limitOf(plan, tried));
  const found = select(plan, []).select([...selectionOf(columns), sql`${own}`.as('key')]);
  const first = found.where(sql<SqlBool>`${own} = any(array(${next}))`);
  const filled = parts.selectFrom('first').select(sql`count(*) = ${limitOf(plan)}`.as('is_full'));
  const others = parts.selectFrom(found.where(canHaveSql(plan, condition)).as('r')).selectAll();
  const look = [['first', first] as const, ['filled', filled] as const];
  return lookedFor(look, [['others', others]], columns)
    .orderBy('r.key', directionOf(key))
    .limit(limitOf(plan));
};

/**
 * What follows from the condition: a value of the record's own is one of the condition's, or one of an owner's that the record can have.
 * Where there is one owner only, Postgres computes the values of all owners once as it is.
 */
const canHaveSql = ({ set: { resource }, resources }: ReadPlan, { field, any }: Condition): RawBuilder<SqlBool> => {
  const having = (fields: readonly Field[]) => {
    const alternatives = fields.map(field => conditionSql({ field, any }, slots(resource)));
    return sql<SqlBool>`(${sql.join(alternatives, sql` or `)})`;
  };
  const origins = Map.groupBy(originsOf(field, resource, resources), ({ owners: [owner] }) => owner?.by);
  if (origins.size - Number(origins.has(undefined)) < 2) return sql`true`;
  const alternatives = [...origins].map(([by, alike]) => {
    const owners = alike.flatMap(({ owners: [owner] }) => owner ?? []);
    const [owner] = owners;
    if (by === undefined || !owner) return having(alike.map(({ field }) => field));
    const { source, key } = owner.resource;
    const keys = parts.selectFrom(`${source} as r`).where(having(owners.map(({ field }) => field)));
    return sql<SqlBool>`${sql.id('r', by)} in ${keys.select(sql`${sql.id('r', key)}`.as('key'))}`;
  });
  return sql`(${sql.join(alternatives, sql` or `)})`;
};
