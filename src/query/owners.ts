import { type JoinBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Restriction } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';
import { afterSql, type Bound, boundsOf, differsOrAfterSql, notBeforeSql } from './condition.ts';
import type { ReadPlan } from './plan.ts';
import type { OrderTerm } from './sort.ts';
import {
  directionOf,
  limitOf,
  type Owner,
  ownersOf,
  restrictionSql,
  type Selection,
  selectionOf,
  slots,
} from './source.ts';
import { column, compiler, place } from './statement.ts';

/** Parts of a statement that refer to each other: they are bound to the tenant with the whole of it. */
const parts = compiler.withoutPlugins();

/**
 * Whether a page is in the order of a value that its records have from others. Those are then sorted, which are fewer, and the records
 * looked up by them until the page is full. Not with conditions, which could leave none of them; and not of a value that is never null,
 * for which an index can provide the order (see `select`).
 */
export const isByOwner = ({ order, conditions, limit }: ReadPlan, columns: readonly Field[]): boolean =>
  order[0]?.field.owner !== undefined &&
  order[0].field.nullable === true &&
  limit !== null &&
  conditions.length === 0 &&
  [...columns, ...order.map(({ field }) => field)].every(({ storage }) => storage === undefined);

/** How many records are looked through for each one of a page to find those without a value. */
const tried = 5;

/**
 * Selects a page in the order of a value that its records have from others. A page that may begin with records without a value is first
 * looked for among the first records in the order of the key: where values are often missing, these fill it, and no owners are sorted.
 */
export const selectByOwner = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after } = plan;
  const bounds = after ? boundsOf(order, after, slots(set.resource)) : [];
  const [term, key, ...others] = order as [OrderTerm, OrderTerm, ...OrderTerm[]];
  if (others.length > 0 || (after && after[0] !== null))
    return ofOwners(compiler, plan, bounds).select(selectionOf(columns));
  const selection = (value: RawBuilder<unknown>) => [
    ...selectionOf(columns),
    sql`${value}`.as('value'),
    sql`${column(key.field)}`.as('key'),
  ];
  const missing = ofNone(plan, bounds, selection(column(term.field)));
  const owned = ofOwners(parts, plan, bounds).select(selection(sql.id('o', 'value')));
  const count = sql`(${parts.selectFrom('missing').select(sql`count(*)`.as('count'))})`;
  const isFull = sql<SqlBool>`${count} = ${limitOf(plan)}`;
  const pages = parts.selectFrom('missing').selectAll().where(isFull).unionAll(parts.selectFrom('owned').selectAll());
  return compiler
    .with(
      cte => cte('missing').materialized(),
      () => missing,
    )
    .with(
      cte => cte('owned').materialized(),
      () => owned.where(sql<SqlBool>`not ${isFull}`),
    )
    .selectFrom(pages.as('r'))
    .select(columns.map(field => sql`${sql.id('r', place(field))}`.as(place(field))))
    .orderBy('r.value', directionOf(term))
    .orderBy('r.key', directionOf(key))
    .limit(limitOf(plan));
};

/**
 * The first records in the order of the key, as far as they have no value. In ascending order, none if an owner has one, which comes
 * before them.
 */
const ofNone = (
  plan: ReadPlan,
  [, ...bounds]: readonly Bound[],
  selection: ReturnType<typeof selectionOf>,
): Selection => {
  const { set, order, resources } = plan;
  const [term, key] = order as [OrderTerm, OrderTerm];
  const records = parts
    .selectFrom(`${set.resource.source} as r`)
    .select(selection)
    .$if(set.restriction !== undefined, query => query.where(restrictionSql(set.restriction as Restriction)))
    .$if(bounds.length > 0, query => query.where(afterSql(bounds)))
    .orderBy(column(key.field), directionOf(key))
    .limit(limitOf(plan, tried));
  const { resource, field } = ownersOf(term.field, resources).at(-1) as Owner;
  const valued = parts
    .selectFrom(`${resource.source} as r`)
    .select(sql`1`.as('one'))
    .where(sql<SqlBool>`${column(field)} is not null`);
  return parts
    .selectFrom(records.as('r'))
    .selectAll()
    .where('r.value', 'is', null)
    .$if(!term.descending, query => query.where(sql<SqlBool>`not exists (${valued})`))
    .orderBy('r.key', directionOf(key))
    .limit(limitOf(plan));
};

/** The records of the owners, which are sorted. */
const ofOwners = (from: typeof compiler, plan: ReadPlan, [bound, ...bounds]: readonly Bound[]): Selection => {
  const { set, order, resources } = plan;
  const [term, ...terms] = order as [OrderTerm, ...OrderTerm[]];
  const [top, ...between] = ownersOf(term.field, resources).toReversed() as [Owner, ...Owner[]];
  const [own, value] = [column(top.field), sql.id('o', 'value')];
  const sorted = from
    .selectFrom(`${top.resource.source} as r`)
    .select([sql`${sql.id('r', top.resource.key)}`.as('id'), sql`${own}`.as('value')])
    .$if(bound !== undefined, query => query.where(notBeforeSql({ ...(bound as Bound), left: own })))
    .orderBy(own, directionOf(term));
  let query: Selection = from.selectFrom(sorted.as('o'));
  let [above, id] = [top, sql.id('o', 'id')];
  for (const [index, owner] of between.entries()) {
    const name = `o${index}`;
    query = query.innerJoin(`${owner.resource.source} as ${name}`, refersTo(name, above, id));
    [above, id] = [owner, sql.id(name, owner.resource.key)];
  }
  query = query
    .innerJoin(`${set.resource.source} as r`, refersTo('r', above, id))
    .$if(set.restriction !== undefined, query => query.where(restrictionSql(set.restriction as Restriction)))
    .$if(bound !== undefined, query => query.where(differsOrAfterSql({ ...(bound as Bound), left: value }, bounds)))
    .orderBy(value, directionOf(term));
  for (const other of terms) query = query.orderBy(column(other.field), directionOf(other));
  return query.limit(limitOf(plan));
};

/** The condition of a join: the record `name` is one of the owner's. */
const refersTo =
  (name: string, { by }: Owner, id: RawBuilder<unknown>) =>
  (join: JoinBuilder<never, never>) =>
    join.on(sql<SqlBool>`${sql.id(name, by)} = ${id}`);
