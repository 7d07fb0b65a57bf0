import { type SqlBool, sql } from 'kysely';
import type { FieldSet } from '../core/fields.ts';
import type { Field } from '../core/resource.ts';
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
import { gatherOver } from './gather.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { type Selection, sourceOf } from './source.ts';
import { bind, column, place, Slot, template } from './statement.ts';

/**
 * ReadPlan → Statement. The select list is the plan's fields and then `also`. With a limit it asks for one record more, which tells
 * that there is a next page.
 */
export const readStatement = (plan: ReadPlan, also: readonly Field[], tenantId: number): Statement => {
  const { set, conditions, after, order, limit } = plan;
  const columns = also.length === 0 ? plan.fields : [...plan.fields, ...also];
  const values = [String(tenantId), ...conditions.flatMap(conditionValues)];
  if (after) values.push(...(positionValues(after) as string[]));
  const made = template(`read|${set.resource.source}|${readShape(plan, columns)}`, () => {
    const slot = slots();
    const used = [...columns, ...order.map(({ field }) => field)];
    const list = selectionOf(columns, [set.resource.key, ...order.map(({ field }) => field.name)], set);
    let query = filtered(plan, slot, used).select(list);
    for (const { field, descending } of order) {
      // A derived field comes through an outer join of the view; saying that it is not null, where that is known, makes it an
      // inner join, so that an index on the joined table can give the order.
      if (field.computed && !field.nullable) query = query.where(sql<SqlBool>`${column(field)} is not null`);
      query = query.orderBy(column(field), descending ? 'desc' : 'asc');
    }
    if (after) query = query.where(positionSql(order, after, slot));
    // In the text, not as a value: a plan made for every value takes a limit that it does not know for a tenth of the records.
    if (limit !== null) query = query.limit(sql<number>`${sql.lit(limit + 1)}`);
    const terms = order.map(({ field, descending }) => ({ name: place(field), descending }));
    return gatherOver(query, columns, set.resource.key, terms).compile();
  });
  return bind(made, values);
};

/** How many records pass the plan's conditions, whatever its page. */
export const countStatement = (plan: ReadPlan, tenantId: number): Statement => {
  const { set, conditions } = plan;
  const made = template(`count|${set.resource.source}|${conditions.map(conditionShape).join(',')}`, () =>
    filtered(plan, slots(), []).select(sql`count(*)`.as('count')).compile(),
  );
  return bind(made, [String(tenantId), ...conditions.flatMap(conditionValues)]);
};

/** The records of a relation for the given keys (texts of its field `from`), their key last, in order of key and id. */
export const embedStatement = (embed: EmbedPlan, keys: readonly string[], tenantId: number): Statement => {
  const { source, key } = embed.set.resource;
  const to = embed.set.byName.get(embed.relation.to) as Field;
  const made = template(`embed|${source}|${to.name}|${embed.fields.map(place)}`, () => {
    const query = sourceOf(embed.set.resource, embed.fields)
      .select([...selectionOf(embed.fields, [key], embed.set), sql`${column(to)}`.as(embedKey.name)])
      .where(sql<SqlBool>`${column(to)} = any(${new Slot(1)}::bigint[])`)
      .orderBy(column(to))
      .orderBy(column({ name: key }));
    const order = [embedKey.name, key].map(name => ({ name, descending: false }));
    return gatherOver(query, [...embed.fields, embedKey], key, order).compile();
  });
  return bind(made, [String(tenantId), `{${keys.join(',')}}`]);
};

const embedKey = { name: 'embed key' };

/** The columns of a selection of the source; where some values are gathered, with what that and the order need. */
const selectionOf = (columns: readonly Field[], needed: readonly string[], { byName }: FieldSet) => {
  const own = columns.filter(({ gathered }) => !gathered);
  const also = own.length === columns.length ? [] : needed.map(name => byName.get(name) as Field);
  return [...new Set([...own, ...also])].map(field => sql`${column(field)}`.as(place(field)));
};

/** What passes the plan's conditions, of a source that has the fields `used` as well. */
const filtered = ({ set, conditions }: ReadPlan, slot: Slots, used: readonly Field[]): Selection => {
  let query = sourceOf(set.resource, [...conditions.map(({ field }) => field), ...used]);
  for (const condition of conditions) query = query.where(conditionSql(condition, slot));
  return query;
};

/** All of a plan that decides its SQL, and none of its values. */
const readShape = ({ conditions, order, after, limit }: ReadPlan, columns: readonly Field[]): string =>
  [
    columns.map(place),
    conditions.map(conditionShape),
    order.map(({ field, descending }) => (descending ? '-' : '+') + place(field)),
    after ? positionShape(after) : '',
    limit ?? '',
  ].join(';');

const slots = (): Slots => {
  let index = 0;
  return () => new Slot(++index);
};
