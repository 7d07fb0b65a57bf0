import { type JoinBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { fieldsOf, sourceField } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import { afterSql, differsOrAfterSql, notBeforeSql, type PageBound } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import { limitOf, lowestWith, type Owner, readable, type Selection, sourceOf } from '../source.ts';
import { column, type compiler } from '../statement.ts';
import { type ColumnSelection, readableRecords } from './parts.ts';

/** The first records with an own value. @param own all fields that it may be the value of */
export const ofOwn = (
  plan: ReadPlan,
  field: Field,
  own: readonly Field[],
  [bound, ...bounds]: readonly PageBound[],
  columnsWith: ColumnSelection,
): Selection => {
  const [term, key] = plan.order as [OrderTerm, OrderTerm];
  const value = column(field);
  return readableRecords(plan.set, [...own, key.field])
    .select(columnsWith(value))
    .where(sql<SqlBool>`${value} is not null`)
    .$if(bound !== undefined, query =>
      query.where(afterSql([{ ...(bound as PageBound), left: value, nullable: false }, ...bounds])),
    )
    .orderBy(value, directionOf(term))
    .orderBy(column(key.field), directionOf(key))
    .limit(limitOf(plan));
};

/**
 * The first records of the sorted owners, looked up until the page is full.
 * @param columns fields of the records that are selected or that conditions name
 */
export const ofOwners = (
  from: typeof compiler,
  plan: ReadPlan,
  owners: readonly Owner[],
  columns: readonly Field[],
  [bound, ...bounds]: readonly PageBound[],
): Selection => {
  const [term, ...terms] = plan.order as [OrderTerm, ...OrderTerm[]];
  const [top, ...between] = owners.toReversed() as [Owner, ...Owner[]];
  const [own, value] = [column(top.field), sql.id('o', 'value')];
  const sorted = sourceOf(fieldsOf(top.resource), [top.field], from)
    .select([sql`${sql.id('r', top.resource.key)}`.as('id'), sql`${own}`.as('value')])
    .$if(bound !== undefined, query => query.where(notBeforeSql({ ...(bound as PageBound), left: own })))
    .orderBy(own, directionOf(term));
  let query: Selection = from.selectFrom(sorted.as('o'));
  let [above, id] = [top, sql.id('o', 'id')];
  for (const [index, owner] of between.entries()) {
    const name = `o${index}`;
    const source = lowestWith(fieldsOf(owner.resource), [sourceField(fieldsOf(owner.resource), above.by)]);
    query = query.innerJoin(`${source} as ${name}`, refersTo(name, above, id));
    [above, id] = [owner, sql.id(name, owner.resource.key)];
  }
  const used = [...columns, ...terms.map(({ field }) => field), sourceField(plan.set, above.by)];
  query = readable(query.innerJoin(`${lowestWith(plan.set, used)} as r`, refersTo('r', above, id)), plan.set)
    .$if(bound !== undefined, query => query.where(differsOrAfterSql({ ...(bound as PageBound), left: value }, bounds)))
    .orderBy(value, directionOf(term));
  for (const other of terms) query = query.orderBy(column(other.field), directionOf(other));
  return query.limit(limitOf(plan));
};

/** The condition of a join: the record `name` is one of the owner's. */
const refersTo =
  (name: string, { by }: Owner, id: RawBuilder<unknown>) =>
  (join: JoinBuilder<never, never>) =>
    join.on(sql<SqlBool>`${sql.id(name, by)} = ${id}`);
