import { type SqlBool, sql } from 'kysely';
import { cachedBy } from '../core/cached.ts';
import { fieldsOf, sourceField } from '../core/resource/fields.ts';
import type { Field } from '../core/resource/resource.ts';
import type { Statement } from '../db/database.ts';
import { conditionShape, conditionValues, positionShape } from './condition.ts';
import { isWithin } from './embeds.ts';
import { selectOfValue } from './others/filter.ts';
import { selectOfOthers } from './others/page.ts';
import { selectInTwoParts } from './others/two-parts.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { isOfNotNull, isOfNull } from './predicate.ts';
import { selectShared } from './shared.ts';
import { ascending, directionOf, type OrderTerm } from './sort.ts';
import {
  filtered,
  readable,
  restrictionShape,
  type Selection,
  select,
  selectionFrom,
  selectionOf,
  sizeOf,
  slots,
  sourceOf,
} from './source.ts';
import { bind, column, compiler, place, placesOf, Slot, template } from './statement.ts';
import { isJoined, type Strategy, strategyOf } from './strategy.ts';

/**
 * The statement that selects the columns of a plan's records.
 * The key only, where the strategy reads the records by their keys. With a limit it reads at least one record more, which shows whether there is a next page.
 */
export const readStatement = (
  plan: ReadPlan,
  columns: readonly Field[],
  tenantId: number,
  strategy = strategyOf(plan, columns),
): Statement => {
  const { selecting, keysFirst } = ways[strategy];
  return statementOf(plan, keysFirst ? [keyOf(plan)] : columns, tenantId, selecting);
};

/**
 * The statement that selects the keys of a page, as an array.
 * It keeps them in the transaction, for `recordsStatement`. A read by keys is one trip: a statement that had the keys as a value would have to wait for them.
 * @param all whether none are kept if there are more than the limit
 */
export const keysStatement = (plan: ReadPlan, tenantId: number, strategy: Strategy, all: boolean): Statement => {
  const { selecting } = ways[strategy];
  const keysBy: Selecting = (own, columns) => {
    const limit = sql.lit(sizeOf(plan.limit as number));
    const kept = all
      ? sql`case when cardinality(page.keys) > ${limit} then '{}' else page.keys end`
      : sql`page.keys[1:${limit}]`;
    return (
      compiler
        // Computed once: both the result and the setting have it.
        .with(
          cte => cte('page').materialized(),
          db => db.selectNoFrom(sql`array(${selecting(own, columns)})`.as('keys')),
        )
        .selectFrom('page')
        .select(['keys', sql`set_config('app.page', (${kept})::text, true)`.as('kept')])
    );
  };
  return statementOf(plan, [keyOf(plan)], tenantId, keysBy, `keys ${selecting.name} ${all}`);
};

type Selecting = (plan: ReadPlan, columns: readonly Field[]) => Selection;

const keyOf = ({ set }: ReadPlan): Field => sourceField(set, set.resource.key);

const statementOf = (
  plan: ReadPlan,
  columns: readonly Field[],
  tenantId: number,
  selecting: Selecting,
  way = selecting.name,
): Statement => {
  const { set, conditions, order, after, limit, given } = plan;
  const values = [String(tenantId), ...given, ...conditionValues(conditions)];
  if (after) values.push(...after);
  // Equal for plans with the same SQL, whatever their values.
  const shape = [
    `${way}|${set.resource.source}|${placesOf(columns)}`,
    conditions.map(conditionShape),
    restrictionShape(set.restriction),
    order.map(({ field, descending }) => (descending ? '-' : '+') + place(field)),
    after ? positionShape(after) : '',
    limit === null ? '' : sizeOf(limit),
  ].join(';');
  const made = template(shape, () => selecting(plan, columns).compile());
  return bind(made, values);
};

/**
 * Selects the records of a plan in an order that says if all or none of them have a first value.
 * Its filter says so, or its page follows a record without one in ascending order. Those without are in the order of the other fields, which an
 * index can provide.
 */
const selectKnown = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const [term, ...others] = plan.order;
  const only = term && others.length > 0 && onlyOf(plan, term);
  return select(only ? { ...plan, order: [{ ...term, only }, ...others] } : plan, columns);
};

const onlyOf = ({ conditions, after }: ReadPlan, { field, descending }: OrderTerm): OrderTerm['only'] => {
  const own = conditions.filter(condition => condition.field === field);
  if ((!descending && after?.[0] === null) || own.some(isOfNull)) return 'nulls';
  return own.some(isOfNotNull) ? 'values' : undefined;
};

/**
 * Selects the records of a page in the order of the key, whose keys are a subquery.
 * To a plan that knows neither the tenant's size nor the cursor, joining all records that follow may seem to take less than joining
 * those of the page.
 */
const selectByKeys = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, resources } = plan;
  const own = sourceField(set, set.resource.key);
  const keys = select(plan, [own]);
  const { selection, key } = selectShared(set.resource, columns, resources, fields =>
    !isJoined(set, fields)
      ? select(plan, fields)
      : selectionFrom(set, fields).where(sql<SqlBool>`${column(own)} = any(array(${keys}))`),
  );
  return selection.orderBy(key, order[0] ? directionOf(order[0]) : ascending);
};

/** What the statements of a strategy are like. */
interface Way {
  readonly selecting: Selecting;
  /** Whether a statement selects the keys of a page, and another one of the same trip the records. */
  readonly keysFirst: boolean;
  /** Whether the first statement is planned for its values. */
  readonly anew: boolean;
}

/** The statements of each strategy. */
export const ways: Readonly<Record<Strategy, Way>> = {
  once: { selecting: selectKnown, keysFirst: false, anew: false },
  'keys within': { selecting: selectByKeys, keysFirst: false, anew: false },
  anew: { selecting: selectKnown, keysFirst: false, anew: true },
  'keys first': { selecting: selectKnown, keysFirst: true, anew: true },
  'by value': { selecting: selectOfValue, keysFirst: true, anew: false },
  'by owner': { selecting: selectOfOthers, keysFirst: true, anew: false },
  'in two parts': { selecting: selectInTwoParts, keysFirst: true, anew: true },
};

/**
 * The statement that reads records by keys, unordered: the same one for all filters and orders.
 * @param keys `selected`: those that `keysStatement` has kept in the transaction
 */
export const recordsStatement = (
  { set, resources }: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[] | 'selected',
  tenantId: number,
): Statement => {
  const { resource } = set;
  const isKept = keys === 'selected';
  const made = template(`records|${isKept}|${resource.source}|${placesOf(columns)}`, () =>
    selectShared(resource, columns, resources, fields =>
      selectionFrom(fieldsOf(resource), fields).where(
        sql<SqlBool>`${column(sourceField(set, resource.key))} = any(${isKept ? keptKeys : sql`${new Slot(1)}::bigint[]`})`,
      ),
    ).selection.compile(),
  );
  return bind(made, [String(tenantId), isKept ? null : `{${keys.join(',')}}`]);
};

/**
 * The keys that `keysStatement` has kept.
 * None without a tenant: a connection that learns the statement has kept no keys. Otherwise their absence is an error.
 */
const keptKeys = sql`case when ${new Slot(0)}::bigint is not null then current_setting('app.page')::bigint[] end`;

/** The statement that counts the records matching the plan's conditions, on all pages. */
export const countStatement = (plan: ReadPlan, tenantId: number): Statement => {
  const { set, conditions, given } = plan;
  const shape = [conditions.map(conditionShape), restrictionShape(set.restriction)].join('|');
  const made = template(`count|${set.resource.source}|${shape}`, () =>
    filtered(plan, slots(set.resource), []).select(sql`count(*)`.as('count')).compile(),
  );
  return bind(made, [String(tenantId), ...given, ...conditionValues(conditions)]);
};

/**
 * The statement that reads a relation's records for keys (values of its field `from`), in order.
 * The order is by key and id. Selects the columns of `embeddedColumns`, then the key.
 */
export const embedStatement = (embed: EmbedPlan, keys: readonly string[], tenantId: number): Statement => {
  const { source, key } = embed.set.resource;
  const to = embed.set.byName.get(embed.relation.to) as Field;
  const columns = embeddedColumns(embed);
  // Ids of several processes do not tell which record is the newest of those that a to-one relation may lead to.
  const created = embed.relation.many ? undefined : embed.set.byName.get('created_at');
  const order = [to, ...(created ? [created] : []), { name: key }];
  const limit = embed.relation.many ? [embed.most, embed.name] : [];
  const shape = [order.map(place), placesOf(columns), restrictionShape(embed.set.restriction), limit].join('|');
  const made = template(`embed|${source}|${shape}`, () => {
    const all = sourceOf(embed.set, [to, ...columns])
      .select([...selectionOf(columns), sql`${column(to)}`.as('embed key')])
      .where(sql<SqlBool>`${column(to)} = any(${new Slot(1)}::bigint[])`)
      .$if(embed.relation.many, query => query.where(isWithin(embed)));
    const records = readable(all, embed.set);
    return order.reduce((query, field) => query.orderBy(column(field), ascending), records).compile();
  });
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};

/** The columns to read for an embed, including those that its records are shown by. */
export const embeddedColumns = ({ fields, set }: EmbedPlan): readonly Field[] => {
  const missing = new Set(besideOf(fields).filter(name => !fields.some(field => field.name === name)));
  return missing.size === 0 ? fields : [...fields, ...[...missing].map(name => sourceField(set, name))];
};

/** Returns the fields that decide what is shown of the values of others. Cached. */
export const besideOf = cachedBy((fields: readonly Field[]) => fields.flatMap(({ show }) => show?.beside ?? []));
