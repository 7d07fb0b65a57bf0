import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { fieldsOf, sourceField } from '../../core/resource/fields.ts';
import type { Field } from '../../core/resource/resource.ts';
import { afterSql, boundsOf, conditionSql } from '../condition.ts';
import type { ReadPlan } from '../plan.ts';
import { type Condition, isOfNull } from '../predicate.ts';
import { directionOf, type OrderTerm } from '../sort.ts';
import { filtered, limitOf, originsOf, type Selection, selectionOf, slots, sourceOf } from '../source.ts';
import { column } from '../statement.ts';
import { eachOnce, lookedFor, nextKeys, ownAndOwned, parts, readableRecords } from './parts.ts';

/**
 * Selects a page, in the order of the key, of records with or without a first value of several.
 * Postgres does not know how many these are, and would compute the value of all. It is looked for among the records that come next, which
 * fill it if many have the value; else among those that can have it.
 */
export const selectOfValue = (plan: ReadPlan, columns: readonly Field[]): Selection => {
  const { set, order, after } = plan;
  const [condition] = plan.conditions as [Condition];
  const [key] = order as [OrderTerm];
  const own = column(key.field);
  const slot = slots(set.resource);
  const matches = conditionSql(condition, slot);
  const bounds = after ? boundsOf(order, after, slot) : [];
  const page = (records: Selection): Selection =>
    records
      .select([...selectionOf(columns), sql`${own}`.as('key')])
      .$if(bounds.length > 0, query => query.where(afterSql(bounds)))
      .orderBy(own, directionOf(key))
      .limit(limitOf(plan));
  const next = sql<SqlBool>`${own} = any(array(${nextKeys(plan, key, bounds)}))`;
  const first = page(readableRecords(set, [condition.field, key.field]).where(matches).where(next));
  const filled = parts.selectFrom('first').select(sql`count(*) = ${limitOf(plan)}`.as('is_full'));
  const look = Object.entries({ first, filled });
  const others = partsOf(plan, condition).map((part, index) => [`others_${index}`, page(part)] as const);
  return lookedFor(look, others, columns).orderBy('r.key', directionOf(key)).limit(limitOf(plan));
};

/**
 * The records that match the condition.
 * Those with a value of their own that does, and those without any whose owners match it. In one part where not all but the last value are
 * the record's own.
 */
const partsOf = (plan: ReadPlan, condition: Condition): readonly Selection[] => {
  const { set, resources } = plan;
  const origins = ownAndOwned(originsOf(condition.field, set.resource, resources));
  if (!origins) {
    const own = originsOf(condition.field, set.resource, resources).map(({ field, owners: [owner] }) =>
      owner ? sourceField(set, owner.by) : field,
    );
    const matching = filtered(plan, slots(set.resource), own).where(canHaveSql(plan, condition));
    return [parts.selectFrom(matching.selectAll('r').as('r'))];
  }
  const matches = (field: Field) => conditionSql({ ...condition, field }, slots(set.resource));
  const [{ resource, by, field }] = origins.owners;
  const key = sql.id('r', resource.key);
  const owners = sourceOf(fieldsOf(resource), [field], parts).select(sql`${key}`.as('id')).where(matches(field));
  const owned = readableRecords(set, [...origins.own, sourceField(set, by)]).innerJoin(owners.as('o'), join =>
    join.on(sql<SqlBool>`${sql.id('r', by)} = ${sql.id('o', 'id')}`),
  );
  const matching = eachOnce(origins.own, field => readableRecords(set, origins.own).where(matches(field)), owned);
  return isOfNull(condition) ? matching.slice(-1) : matching;
};

/** What follows from the condition: a value of the record's own or of an owner's is one of its values. */
const canHaveSql = ({ set: { resource }, resources }: ReadPlan, condition: Condition): RawBuilder<SqlBool> => {
  if (isOfNull(condition)) return sql`true`;
  const having = (fields: readonly Field[]) => {
    const alternatives = fields.map(field => conditionSql({ ...condition, field }, slots(resource)));
    return sql<SqlBool>`(${sql.join(alternatives, sql` or `)})`;
  };
  const origins = Map.groupBy(originsOf(condition.field, resource, resources), ({ owners: [owner] }) => owner?.by);
  const alternatives = [...origins].map(([by, alike]) => {
    const owners = alike.flatMap(({ owners: [owner] }) => owner ?? []);
    const [owner] = owners;
    if (by === undefined || !owner) return having(alike.map(({ field }) => field));
    const { key } = owner.resource;
    const fields = owners.map(({ field }) => field);
    const keys = sourceOf(fieldsOf(owner.resource), fields, parts).where(having(fields));
    return sql<SqlBool>`${sql.id('r', by)} in ${keys.select(sql`${sql.id('r', key)}`.as('key'))}`;
  });
  return sql`(${sql.join(alternatives, sql` or `)})`;
};
