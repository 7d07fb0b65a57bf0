import { type SqlBool, sql } from 'kysely';
import { type Restriction, sourceField } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { Statement } from '../db/database.ts';
import {
  conditionShape,
  conditionSql,
  conditionValues,
  positionShape,
  positionSql,
  positionValues,
  type Slots,
} from './condition.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { besideOf } from './representation.ts';
import { givenTo, restrictionShape, restrictionSql, type Selection, sourceOf } from './source.ts';
import { bind, column, place, placesOf, Slot, template } from './statement.ts';

/**
 * The statement of a read plan. Selects the plan's fields, then `also`. With a limit it reads one record more, which shows whether
 * there is a next page.
 */
export const readStatement = (plan: ReadPlan, also: readonly Field[], tenantId: number): Statement => {
  const { set, conditions, given, after } = plan;
  const columns = also.length === 0 ? plan.fields : [...plan.fields, ...also];
  const values = [String(tenantId), ...given, ...conditions.flatMap(conditionValues)];
  if (after) values.push(...positionValues(after));
  const made = template(`read|${set.resource.source}|${readShape(plan, columns)}`, () =>
    (isOfSomeKeys(plan, columns) ? selectByKeys(plan, columns) : select(plan, columns)).compile(),
  );
  return bind(made, values);
};

/**
 * Whether a page is in the order of the key and joins tables. Its keys are then a subquery, so that no plan joins more records than the
 * page has: to one that knows neither the tenant's size nor the cursor, joining all records that follow may seem to take less.
 */
const isOfSomeKeys = ({ set, conditions, order, limit }: ReadPlan, columns: readonly Field[]): boolean => {
  const { source, table, called, key } = set.resource;
  const isJoined = source !== table || columns.some(({ storage }) => storage !== undefined);
  const isPage = limit !== null && conditions.length === 0 && order[0]?.field.name === key;
  return isPage && isJoined && !called && columns.some(({ name }) => name !== key);
};

const selectByKeys = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order } = plan;
  const key = sourceField(set, set.resource.key);
  const keys = select(plan, [key]);
  const query = sourceOf(set.resource, columns)
    .select(selectionOf(columns))
    .where(sql<SqlBool>`${column(key)} = any(array(${keys}))`);
  return query.orderBy(column(key), order[0]?.descending ? 'desc' : 'asc');
};

const select = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after, limit } = plan;
  const slot = slots(set.resource);
  const used = [...columns, ...order.map(({ field }) => field)];
  let query = filtered(plan, slot, used).select(selectionOf(columns));
  for (const { field, descending } of order) {
    // A computed field comes from an outer join in the view. `is not null` turns it into an inner join, so that an index on the
    // joined table can provide the order.
    if (field.computed && !field.nullable) query = query.where(sql<SqlBool>`${column(field)} is not null`);
    query = query.orderBy(column(field), descending ? 'desc' : 'asc');
  }
  if (after) query = query.where(positionSql(order, after, slot));
  // A literal, not a parameter: for an unknown limit, a generic plan assumes a tenth of the records.
  return limit === null ? query : query.limit(sql<number>`${sql.lit(limit + 1)}`);
};

/** The statement that reads the keys of a plan's page, in their order. */
export const keysStatement = (plan: ReadPlan, tenantId: number): Statement =>
  readStatement({ ...plan, fields: [sourceField(plan.set, plan.set.resource.key)] }, [], tenantId);

/** The statement that reads the records with the keys, in any order: the same one for all filters and orders. */
export const recordsStatement = (
  { set }: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  tenantId: number,
): Statement => {
  const { resource } = set;
  const made = template(`records|${resource.source}|${columns.map(place)}`, () =>
    sourceOf(resource, columns)
      .select(selectionOf(columns))
      .where(sql<SqlBool>`${column(sourceField(set, resource.key))} = any(${new Slot(1)}::bigint[])`)
      .compile(),
  );
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};

/** The statement that counts the records matching the plan's conditions, on all pages. */
export const countStatement = (plan: ReadPlan, tenantId: number): Statement => {
  const { set, conditions, given } = plan;
  const shape = [conditions.map(conditionShape), restrictionShape(set.restriction)].join('|');
  const made = template(`count|${set.resource.source}|${shape}`, () =>
    filtered(plan, slots(set.resource), []).select(sql`count(*)`.as('count')).compile(),
  );
  return bind(made, [String(tenantId), ...given, ...conditions.flatMap(conditionValues)]);
};

/**
 * The statement that reads a relation's records for the given keys (values of its field `from`), ordered by key and id. Selects
 * the columns of `embeddedColumns`, then the key.
 */
export const embedStatement = (embed: EmbedPlan, keys: readonly string[], tenantId: number): Statement => {
  const { source, key } = embed.set.resource;
  const to = embed.set.byName.get(embed.relation.to) as Field;
  const columns = embeddedColumns(embed);
  // Ids of several processes do not tell which record is the newest of those that a to-one relation may lead to.
  const created = embed.relation.many ? undefined : embed.set.byName.get('created_at');
  const order = [to, ...(created ? [created] : []), { name: key }];
  const { restriction } = embed.set;
  const shape = [order.map(place), columns.map(place), restrictionShape(restriction)].join('|');
  const made = template(`embed|${source}|${shape}`, () => {
    const records = sourceOf(embed.set.resource, columns)
      .select([...selectionOf(columns), sql`${column(to)}`.as('embed key')])
      .where(sql<SqlBool>`${column(to)} = any(${new Slot(1)}::bigint[])`)
      .$if(restriction !== undefined, query => query.where(restrictionSql(restriction as Restriction)));
    return order.reduce((query, field) => query.orderBy(column(field)), records).compile();
  });
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};

/** The columns to read for an embed, including those that its records are shown by. */
export const embeddedColumns = ({ fields, set }: EmbedPlan): readonly Field[] => {
  const missing = new Set(besideOf(fields).filter(name => !fields.some(field => field.name === name)));
  return missing.size === 0 ? fields : [...fields, ...[...missing].map(name => sourceField(set, name))];
};

const selectionOf = (columns: readonly Field[]) => columns.map(field => sql`${column(field)}`.as(place(field)));

/** The records that match the plan's conditions, from a source that also provides the fields `used`. */
const filtered = ({ set, conditions }: ReadPlan, slot: Slots, used: readonly Field[]): Selection => {
  let query = sourceOf(set.resource, [...conditions.map(({ field }) => field), ...used]);
  for (const condition of conditions) query = query.where(conditionSql(condition, slot));
  if (set.restriction) query = query.where(restrictionSql(set.restriction));
  return query;
};

/** A cache key of a plan: equal for plans with the same SQL, whatever their values. */
const readShape = ({ set, conditions, order, after, limit }: ReadPlan, columns: readonly Field[]): string =>
  [
    placesOf(columns),
    conditions.map(conditionShape),
    restrictionShape(set.restriction),
    order.map(({ field, descending }) => (descending ? '-' : '+') + place(field)),
    after ? positionShape(after) : '',
    limit ?? '',
  ].join(';');

/** The slots after those of the tenant and of the values that a function is called with. */
const slots = (resource: Resource): Slots => {
  let index = givenTo(resource);
  return () => new Slot(++index);
};
