import { type SqlBool, sql } from 'kysely';
import type { Field } from '../../core/resource/resource.ts';
import { afterSql, boundsOf, type PageBound } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import { limitOf, originsOf, ownersOf, type Selection, select, selectionOf, slots } from '../source.ts';
import { column, compiler } from '../statement.ts';
import { lookInOrderOfKey } from './look.ts';
import { ofOwn, ofOwners } from './owners.ts';
import { type ColumnSelection, eachOnce, isOfTwo, lookedFor, ownAndOwned, parts, readableRecords } from './parts.ts';

/**
 * Selects a page in the order of a value that its records have from others.
 * A page is looked for among the records that come next in the order of the key; if it is not there, the records are sorted.
 */
export const selectOfOthers = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after, resources } = plan;
  const bounds = after ? boundsOf(order, after, slots(set.resource)) : [];
  const [term, key, ...others] = order as [OrderTerm, OrderTerm, ...OrderTerm[]];
  if (others.length > 0)
    return ofOwners(compiler, plan, ownersOf(term.field, resources), columns, bounds).select(selectionOf(columns));
  const columnsWith: ColumnSelection = value => [
    ...selectionOf(columns),
    sql`${value}`.as('value'),
    sql`${column(key.field)}`.as('key'),
  ];
  const all = sorted(plan, bounds, columnsWith).map((part, index) => [`sorted_${index}`, part] as const);
  return lookedFor(lookInOrderOfKey(plan, bounds, columnsWith), all, columns)
    .orderBy('r.value', directionOf(term))
    .orderBy('r.key', directionOf(key))
    .limit(limitOf(plan));
};

/**
 * Selects the page as a union: one part per source of the value (own column, owner, flag value).
 * The page has only records that are among the first ones of a part.
 */
const sorted = (plan: ReadPlan, bounds: readonly PageBound[], columnsWith: ColumnSelection): readonly Selection[] => {
  const { set, order, resources } = plan;
  const [{ field }] = order as [OrderTerm];
  if (isOfTwo(field)) return ofTwo(plan, bounds, columnsWith);
  const origins = field.nullable ? ownAndOwned(originsOf(field, set.resource, resources)) : undefined;
  if (!origins) {
    const records = select(plan, []).select(columnsWith(column(field)));
    return [parts.selectFrom(records.as('r')).selectAll()];
  }
  const owned = ofOwners(parts, plan, origins.owners, origins.own, bounds).select(columnsWith(sql.id('o', 'value')));
  return eachOnce(origins.own, field => ofOwn(plan, field, origins.own, bounds, columnsWith), owned);
};

/**
 * The records with the value that comes first, and with the other one unless the page is full.
 * Postgres expects either to be many, and would look for them in the order of the key; `offset` makes it join all first. On the first page,
 * the other value is that of nearly all records if the first one's do not fill it.
 */
const ofTwo = (plan: ReadPlan, bounds: readonly PageBound[], columnsWith: ColumnSelection): readonly Selection[] => {
  const [bound] = bounds;
  const [term, key] = plan.order as [OrderTerm, OrderTerm];
  const value = column(term.field);
  const having = (isSet: boolean): Selection =>
    readableRecords(plan.set, [term.field, key.field])
      .select(columnsWith(value))
      .where(sql<SqlBool>`${value} = ${sql.lit(isSet)}`)
      .$if(bounds.length > 0, query => query.where(afterSql(bounds)));
  const page = (records: Selection): Selection =>
    parts.selectFrom(records.as('r')).selectAll().orderBy('r.key', directionOf(key)).limit(limitOf(plan));
  const joined = (records: Selection): Selection => records.offset(sql.lit(0));
  // None of the first value's are left after one of the other: Postgres then reads none.
  const isLeft = bound ? sql<SqlBool>`${bound.value} = ${sql.lit(term.descending)}` : sql<SqlBool>`true`;
  const [former, latter] = [having(term.descending).where(isLeft), having(!term.descending)];
  const before = parts.selectFrom('sorted_0').select(sql`count(*)`.as('count'));
  return [
    page(joined(former)),
    page(bound ? joined(latter) : latter).where(sql<SqlBool>`(${before}) < ${limitOf(plan)}`),
  ];
};
