import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import {
  completeSet,
  type FieldSet,
  fieldsOf,
  type ReferringField,
  type Restriction,
  sourceField,
} from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { afterSql, boundsOf, conditionSql, fieldsIn, type Slots } from './condition.ts';
import type { ReadPlan } from './plan.ts';
import { type Condition, isOfNull, isOfValues } from './predicate.ts';
import { directionOf } from './sort.ts';
import { column, compiler, place, Slot } from './statement.ts';

// biome-ignore lint/suspicious/noExplicitAny: tables and columns come from the resource table, not from a static type
export type Selection = SelectQueryBuilder<any, any, any>;

/** The table or view to read a resource's fields from: the lowest layer that has all of them. */
export const lowestWith = (set: FieldSet, fields: readonly Field[]): string => {
  const { source, layers } = set.resource;
  return layers?.[layerOf(set, fields)] ?? source;
};

/** The number of the lowest layer with the fields and those of their SQL; see `Resource.layers`. */
export const layerOf = (set: FieldSet, fields: readonly Field[]): number => {
  const { layers, hidden = [] } = set.resource;
  if (!layers) return 0;
  let highest = 0;
  const names = new Set(set.restriction && namesIn(set.restriction));
  for (const { layer = 0, withheld } of fields) {
    if (layer > highest) highest = layer;
    if (withheld) names.add(withheld.type).add(withheld.data);
  }
  if (names.size === 0) return highest;
  const named = [...completeSet(set).fields, ...hidden].filter(({ name }) => names.has(name));
  return Math.max(highest, ...named.map(({ layer = 0 }) => layer));
};

const namesIn = (restriction: Restriction): readonly string[] => {
  if ('column' in restriction) return [restriction.column];
  if ('about' in restriction) return [restriction.own, restriction.about];
  const { own, open, holders, guards } = restriction;
  return [own, open.field, ...[...(holders ?? []), ...guards].map(({ by }) => by)];
};

/**
 * The source of the fields.
 * The lowest layer of the resource that has them, or its function, as `r` and, if a field is stored in a separate table, that table as `d`. Each record has a row in
 * `d`, so an inner join loses none and can use an index of either side. Without such a field the join is left out, so that Postgres does not have to plan for that
 * table's many indexes.
 */
export const sourceOf = (set: FieldSet, fields: readonly Field[], from = compiler): Selection => {
  const { key, called } = set.resource;
  if (called) return from.selectFrom(callOf(set.resource));
  const query: Selection = from.selectFrom(`${lowestWith(set, fields)} as r`);
  const [beside] = fields.flatMap(({ storage }) => storage?.table ?? []);
  return beside ? query.innerJoin(`${beside} as d`, 'd.id', `r.${key}`) : query;
};

/** The columns of fields, each under a name that is the same for all tenants. */
export const selectionOf = (columns: readonly Field[]) => columns.map(field => sql`${column(field)}`.as(place(field)));

/** Selects fields of all records of a resource. */
export const selectionFrom = (set: FieldSet, fields: readonly Field[]): Selection =>
  sourceOf(set, fields).select(selectionOf(fields));

/** The number of a function's values after the tenant's id: they are in the first slots after it. */
const givenTo = ({ called, supplied }: Resource): number => {
  if (!called) return 0;
  return supplied ? 3 : 2;
};

/** The columns of a resource's function, which have no collation, unlike those of tables. */
const callOf = (resource: Resource) => {
  const { source, fields, supplied } = resource;
  // The name is part of the SQL string, not an identifier node, so that it is not taken for a table (see db/binding).
  const call = [`${source}(`, '::bigint, ', '::text, ', ...(supplied ? ['::bigint, ', '::jsonb)'] : ['::bigint)'])];
  const given = Array.from({ length: 1 + givenTo(resource) }, (_, index) => new Slot(index));
  return compiler
    .selectFrom(sql(call as unknown as TemplateStringsArray, ...given).as('f'))
    .select(
      fields.map(({ name, type }) =>
        (type === 'text' ? sql`${sql.id('f', name)} collate "und-x-icu"` : sql.id('f', name)).as(name),
      ),
    )
    .as('r');
};

/** A cache key of a restriction: equal for restrictions with the same SQL. */
export const restrictionShape = (restriction: Restriction | undefined): string => {
  if (restriction === undefined) return '';
  if (!('holders' in restriction)) return JSON.stringify(restriction);
  const { userId, holders, guards } = restriction;
  const [shown, guarding] = [holders, guards].map(
    held => held?.map(({ table, field, by }) => [table, place(field), by]) ?? null,
  );
  return JSON.stringify([userId, shown, guarding]);
};

/** The SQL condition that the API user may read a record, of alias `r`. */
export const restrictionSql = (restriction: Restriction): RawBuilder<SqlBool> => {
  if ('column' in restriction) {
    const value = sql.id('r', restriction.column);
    return sql`(${value} is null or ${value} not in (${sql.join(restriction.hidden.map(category => sql.lit(category)))}))`;
  }
  const isOwn = sql<SqlBool>`${sql.id('r', restriction.own)} = ${sql.lit(restriction.userId)}`;
  if ('about' in restriction) {
    const values = sql.lit(`{${restriction.values}}`);
    return sql`(${isOwn} and ${sql.id('r', restriction.about)} = any(${values}::text[]))`;
  }
  const { open, holders, guards } = restriction;
  const isOpen = sql<SqlBool>`${sql.id('r', open.field)} = ${sql.lit(open.value)}`;
  const readable = holders && sql<SqlBool>`(${sql.join([isOwn, isOpen, ...holders.map(isHeld)], sql` or `)})`;
  const guarded = guards.map(guard => sql<SqlBool>`not ${isHeld(guard)}`);
  return sql`(${sql.join([...(readable ? [readable] : []), ...guarded], sql` and `)})`;
};

/** Those of the records, of alias `r`, that the API user may read. */
export const readable = (records: Selection, { restriction }: FieldSet): Selection =>
  restriction ? records.where(restrictionSql(restriction)) : records;

/** The SQL condition that a field refers to the record of alias `r`. */
const isHeld = ({ table, field, by }: ReferringField): RawBuilder<SqlBool> => {
  const values = compiler
    .selectFrom(field.storage ? `${field.storage.table} as d` : `${table} as r`)
    .select(sql`${column(field)}`.as('value'))
    .where(sql<SqlBool>`${column(field)} is not null`);
  return sql`(${sql.id('r', by)} in ${values})`;
};

/** Selects the columns of a plan's records, in their order and within its limit. */
export const select = (plan: ReadPlan, columns: readonly Field[], from = compiler): Selection => {
  const { set, order, after, limit } = plan;
  const slot = slots(set.resource);
  const used = [...columns, ...order.map(({ field }) => field)];
  let query = filtered(plan, slot, used, from).select(selectionOf(columns));
  for (const { field, descending, only } of order) {
    if (only === 'nulls') {
      query = query.where(sql<SqlBool>`${column(field)} is null`);
      continue;
    }
    // A computed field comes from an outer join in the view. `is not null` turns it into an inner join, so that an index on the
    // joined table can provide the order.
    if (only === 'values' || (field.computed && !field.nullable))
      query = query.where(sql<SqlBool>`${column(field)} is not null`);
    query = query.orderBy(column(field), directionOf({ descending }));
  }
  if (after) query = query.where(afterSql(boundsOf(order, after, slot)));
  return limit === null ? query : query.limit(limitOf(plan));
};

/** The sizes of pages that have statements of their own. */
const sizes = [1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000];

/**
 * The size of the page that a statement reads.
 * A page of another size is cut from the next larger one: whatever sizes clients ask for, they share statements and their plans.
 */
export const sizeOf = (limit: number): number => sizes.find(size => size >= limit) ?? limit;

/**
 * The limit of a plan's statement, or a higher one.
 * A literal, not a parameter: for an unknown limit, a generic plan assumes a tenth of the records.
 */
export const limitOf = ({ limit }: ReadPlan, least = 0): RawBuilder<number> =>
  sql<number>`${sql.lit(Math.max(sizeOf(limit ?? 0) + 1, least))}`;

/** A record that others have a value of: the one with the id in their field `by`. */
export interface Owner {
  readonly resource: Resource;
  readonly by: string;
  readonly field: Field;
}

/** The owner of a field's value, that one's owner, and so on; none if the value is the record's own. */
export const ownersOf = ({ owner }: Field, resources: ReadPlan['resources']): readonly Owner[] => {
  const resource = owner && resources[owner.resource];
  if (!resource) return [];
  const field = sourceField(fieldsOf(resource), owner.field);
  return [{ resource, by: owner.by, field }, ...ownersOf(field, resources)];
};

/** A field of a record, or of an owner of its values, that a value of the record is read from. */
export interface FieldOrigin {
  readonly field: Field;
  readonly owners: readonly Owner[];
}

/** What a field's values are read from; where it is several, the first value that is not null. */
export const originsOf = (
  field: Field,
  resource: Resource,
  resources: ReadPlan['resources'],
): readonly FieldOrigin[] => {
  const fields = field.firstOf?.map(name => sourceField(fieldsOf(resource), name)) ?? [field];
  return fields.map(field => ({ field, owners: ownersOf(field, resources) }));
};

/**
 * Fields that are never null, of the records that the conditions' values come from.
 * `is not null` turns the outer joins with these into inner ones, so that Postgres can start from the few of them that have a value: it
 * does not know that they all exist.
 */
const presentOf = ({ resource }: FieldSet, conditions: readonly Condition[]): readonly Field[] => {
  const present = conditions.flatMap(condition => {
    const { owner, nullable } = condition.field;
    if (!owner || !nullable || !isOfValues(condition)) return [];
    const isOfOwner = (field: Field) => field.owner?.resource === owner.resource && field.owner.by === owner.by;
    return resource.fields.find(field => isOfOwner(field) && !field.nullable) ?? [];
  });
  return [...new Set(present)];
};

/** The records that match the plan's conditions, from a source that also provides the fields `used`. */
export const filtered = (
  { set, conditions, resources }: ReadPlan,
  slot: Slots,
  used: readonly Field[],
  from = compiler,
): Selection => {
  const present = presentOf(set, conditions);
  let query = sourceOf(set, [...conditions.flatMap(fieldsIn), ...present, ...used], from);
  for (const condition of conditions) {
    query = query.where(conditionSql(condition, slot));
    if (!isOfNull(condition)) continue;
    // What no owner lacks, no record lacks: the server then looks at none.
    const owner = originsOf(condition.field, set.resource, resources).at(-1)?.owners.at(-1);
    if (owner) query = query.where(sql<SqlBool>`(${countWithout(owner)}) > 0`);
  }
  for (const field of present) query = query.where(sql<SqlBool>`${column(field)} is not null`);
  return readable(query, set);
};

/** Counted instead of `exists`, for whose first row Postgres joins one record after the other. */
const countWithout = ({ resource, field }: Owner): Selection =>
  sourceOf(fieldsOf(resource), [field])
    .select(sql`count(*)`.as('count'))
    .where(sql<SqlBool>`${column(field)} is null`);

/** The slots after those of the tenant and of the values that a function is called with. */
export const slots = (resource: Resource): Slots => {
  let index = givenTo(resource);
  return () => new Slot(++index);
};
