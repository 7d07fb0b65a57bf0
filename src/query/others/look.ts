import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { fieldsOf } from '../../core/resource/fields.ts';
import type { PageBound } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import { limitOf, originsOf, type Selection, sourceOf } from '../source.ts';
import { column } from '../statement.ts';
import { type ColumnSelection, isOfTwo, type NamedSelection, nextKeys, parts } from './parts.ts';

/**
 * Looks for a page among the records that come next in the order of the key.
 * Where many have the same value, or none, these fill it, and nothing is sorted.
 * @returns steps of a statement, by name: `first` selects records, and `filled` whether they are the page
 */
export const lookInOrderOfKey = (
  plan: ReadPlan,
  bounds: readonly PageBound[],
  columnsWith: ColumnSelection,
): readonly NamedSelection[] => [
  ['next', ofNext(plan, bounds, columnsWith)],
  ['first', ofFirst(plan, bounds)],
  ['filled', filled(plan)],
];

/** Their keys are a subquery, so that no plan joins more records than these. */
const ofNext = (plan: ReadPlan, [, ...bounds]: readonly PageBound[], columnsWith: ColumnSelection): Selection => {
  const [term, key] = plan.order as [OrderTerm, OrderTerm];
  const own = column(key.field);
  return sourceOf(plan.set, [term.field, key.field], parts)
    .select(columnsWith(column(term.field)))
    .where(sql<SqlBool>`${own} = any(array(${nextKeys(plan, key, bounds)}))`);
};

/**
 * Selects the candidates whose sort value equals the page's first value.
 * That is the cursor's value, else a flag's first, else the smallest that a candidate has.
 */
const ofFirst = (plan: ReadPlan, [bound]: readonly PageBound[]): Selection => {
  const [term, key] = plan.order as [OrderTerm, OrderTerm];
  const least = parts.selectFrom('next').select('value').orderBy('value', directionOf(term)).limit(sql.lit(1));
  const first = isOfTwo(term.field) ? sql.lit(term.descending) : sql`(${least})`;
  return parts
    .selectFrom('next as r')
    .selectAll()
    .where(sql<SqlBool>`r.value is not distinct from ${bound ? (bound.value ?? sql`null`) : first}`)
    .orderBy('r.key', directionOf(key))
    .limit(limitOf(plan));
};

/** Whether these fill the page, and no record has a value before theirs. */
const filled = (plan: ReadPlan): Selection => {
  const [{ field }] = plan.order as [OrderTerm];
  const value = sql`(${parts.selectFrom('first').select('value').limit(sql.lit(1))})`;
  const isFirst = plan.after || isOfTwo(field) ? sql`true` : isLeast(plan, value);
  return parts.selectFrom('first').select(sql`count(*) = ${limitOf(plan)} and ${isFirst}`.as('is_full'));
};

/**
 * The condition that no record has a value before another one.
 * Nothing that values come from has one, up to what always has a value. Nulls sort last in ascending order and first in descending order.
 */
const isLeast = ({ set, order, resources }: ReadPlan, value: RawBuilder<unknown>): RawBuilder<SqlBool> => {
  const [term] = order as [OrderTerm];
  return originsOf(term.field, set.resource, resources).reduceRight<RawBuilder<SqlBool> | null>(
    (others, { owners, field: own }) => {
      const { resource, field } = owners.at(-1) ?? { resource: set.resource, field: own };
      const left = column(field);
      const records = sourceOf(fieldsOf(resource), [field], parts);
      const values = records.select(sql`${left}`.as('value')).where(sql<SqlBool>`${left} is not null`);
      const least = values.orderBy(left, directionOf(term)).limit(sql.lit(1));
      const order = term.descending
        ? sql`coalesce(r.value <= ${value}, true)`
        : sql`coalesce(r.value >= ${value}, false)`;
      const isNotBefore = sql<SqlBool>`coalesce((${parts.selectFrom(least.as('r')).select(order.as('is_not_before'))}), true)`;
      if (!field.nullable || !others) return isNotBefore;
      // Not `exists`, for which Postgres may look through the records of all tenants.
      const key = sql.id('r', resource.key);
      const lacking = records.select(sql`${key}`.as('key')).where(sql<SqlBool>`${left} is null`).orderBy(key);
      return sql`(${isNotBefore} and ((${lacking.limit(sql.lit(1))}) is null or ${others}))`;
    },
    term.descending ? sql`${value} is null` : null,
  ) as RawBuilder<SqlBool>;
};
