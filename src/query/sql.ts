import { type JoinBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type FieldSet, type Restriction, sourceField } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import type { Statement } from '../db/database.ts';
import {
  afterSql,
  type Bound,
  boundsOf,
  conditionShape,
  conditionSql,
  conditionValues,
  differsOrAfterSql,
  notBeforeSql,
  positionShape,
  positionValues,
  type Slots,
} from './condition.ts';
import { type OrderTerm, type Owner, ownersOf } from './order.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import type { Condition, Predicate } from './predicate.ts';
import { besideOf } from './representation.ts';
import { selectShared } from './shared.ts';
import { givenTo, restrictionShape, restrictionSql, type Selection, selectionOf, sourceOf } from './source.ts';
import { bind, column, compiler, place, placesOf, Slot, template } from './statement.ts';

/**
 * The statement of a read plan. Selects the plan's fields, then `also`. With a limit it reads one record more, which shows whether
 * there is a next page.
 */
export const readStatement = (asked: ReadPlan, also: readonly Field[], tenantId: number): Statement => {
  const plan = ofNulls(asked);
  const { set, conditions, after } = plan;
  const columns = also.length === 0 ? plan.fields : [...plan.fields, ...also];
  const values = [String(tenantId), ...plan.given, ...conditions.flatMap(conditionValues)];
  if (after) values.push(...positionValues(after));
  const made = template(`read|${set.resource.source}|${readShape(plan, columns)}`, () =>
    selectionFor(plan, columns)(plan, columns).compile(),
  );
  return bind(made, values);
};

/**
 * A plan whose page follows a record without a value of the first field in ascending order, as a listing of such records: no others come
 * after it. They are in the order of the other fields, which an index can provide.
 */
const ofNulls = (plan: ReadPlan): ReadPlan => {
  const [term, ...order] = plan.order;
  const [value, ...after] = plan.after ?? [];
  if (!term || term.descending || value !== null || order.length === 0) return plan;
  const isNull: Condition = { field: term.field, any: [{ kind: 'null', not: false, values: [] }] };
  return { ...plan, conditions: [...plan.conditions, isNull], order, after };
};

/** How a statement selects the columns of a plan's records. */
const selectionFor = (plan: ReadPlan, columns: readonly Field[]): typeof select => {
  if (isOfSomeKeys(plan, columns)) return selectByKeys;
  return isByOwner(plan, columns) ? selectByOwner : select;
};

/**
 * Whether a page is in the order of a value that its records have from others. Those are then sorted, which are fewer, and the records
 * looked up by them until the page is full. Not with conditions, which could leave none of them; and not of a value that is never null,
 * for which an index can provide the order (see `select`).
 */
const isByOwner = ({ order, conditions, limit }: ReadPlan, columns: readonly Field[]): boolean =>
  order[0]?.field.owner !== undefined &&
  order[0].field.nullable === true &&
  limit !== null &&
  conditions.length === 0 &&
  [...columns, ...order.map(({ field }) => field)].every(({ storage }) => storage === undefined);

const selectByOwner = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after, resources } = plan;
  const [term, ...terms] = order as [OrderTerm, ...OrderTerm[]];
  const [bound, ...bounds] = after ? boundsOf(order, after, slots(set.resource)) : [];
  const [top, ...between] = ownersOf(term.field, resources).toReversed() as [Owner, ...Owner[]];
  const [own, value] = [column(top.field), sql.id('o', 'value')];
  const sorted = sourceOf(top.resource, [])
    .select([sql`${sql.id('r', top.resource.key)}`.as('id'), sql`${own}`.as('value')])
    .$if(bound !== undefined, query => query.where(notBeforeSql({ ...(bound as Bound), left: own })))
    .orderBy(own, directionOf(term));
  let query: Selection = compiler.selectFrom(sorted.as('o'));
  let [above, id] = [top, sql.id('o', 'id')];
  for (const [index, owner] of between.entries()) {
    const name = `o${index}`;
    query = query.innerJoin(`${owner.resource.source} as ${name}`, refersTo(name, above, id));
    [above, id] = [owner, sql.id(name, owner.resource.key)];
  }
  query = query
    .innerJoin(`${set.resource.source} as r`, refersTo('r', above, id))
    .select(selectionOf(columns))
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
  const { set, order, resources } = plan;
  const own = sourceField(set, set.resource.key);
  const keys = select(plan, [own]);
  const { selection, key } = selectShared(set.resource, columns, resources, records =>
    records.where(sql<SqlBool>`${column(own)} = any(array(${keys}))`),
  );
  return selection.orderBy(key, order[0] ? directionOf(order[0]) : 'asc');
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
    query = query.orderBy(column(field), directionOf({ descending }));
  }
  if (after) query = query.where(afterSql(boundsOf(order, after, slot)));
  return limit === null ? query : query.limit(limitOf(plan));
};

const directionOf = ({ descending }: Pick<OrderTerm, 'descending'>) => (descending ? 'desc' : 'asc');

/** A literal, not a parameter: for an unknown limit, a generic plan assumes a tenth of the records. */
const limitOf = ({ limit }: ReadPlan): RawBuilder<number> => sql<number>`${sql.lit((limit ?? 0) + 1)}`;

/** The statement that reads the keys of a plan's page, in their order. */
export const keysStatement = (plan: ReadPlan, tenantId: number): Statement =>
  readStatement({ ...plan, fields: [sourceField(plan.set, plan.set.resource.key)] }, [], tenantId);

/** The statement that reads the records with the keys, in any order: the same one for all filters and orders. */
export const recordsStatement = (
  { set, resources }: ReadPlan,
  columns: readonly Field[],
  keys: readonly string[],
  tenantId: number,
): Statement => {
  const { resource } = set;
  const made = template(`records|${resource.source}|${columns.map(place)}`, () =>
    selectShared(resource, columns, resources, records =>
      records.where(sql<SqlBool>`${column(sourceField(set, resource.key))} = any(${new Slot(1)}::bigint[])`),
    ).selection.compile(),
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

/**
 * Fields that are never null, of the records that the conditions' values come from. `is not null` turns the outer joins with these into
 * inner ones, so that Postgres can start from the few of them that have a value: it does not know that they all exist.
 */
const presentOf = ({ resource }: FieldSet, conditions: readonly Condition[]): ReadonlySet<Field> => {
  const present = conditions.flatMap(({ field: { owner, nullable }, any }) => {
    if (!owner || !nullable || !any.every(({ kind, not }) => !not && isFew.has(kind))) return [];
    const isOfOwner = (field: Field) => field.owner?.resource === owner.resource && field.owner.by === owner.by;
    return resource.fields.find(field => isOfOwner(field) && !field.nullable) ?? [];
  });
  return new Set(present);
};

/** The kinds of predicates that keep few records; where values may be missing, most often are. */
const isFew: ReadonlySet<Predicate['kind']> = new Set(['equal', 'among']);

/** The records that match the plan's conditions, from a source that also provides the fields `used`. */
const filtered = ({ set, conditions }: ReadPlan, slot: Slots, used: readonly Field[]): Selection => {
  let query = sourceOf(set.resource, [...conditions.map(({ field }) => field), ...used]);
  for (const condition of conditions) query = query.where(conditionSql(condition, slot));
  for (const field of presentOf(set, conditions)) query = query.where(sql<SqlBool>`${column(field)} is not null`);
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
