import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ApiError } from '../core/errors.ts';
import { sourceField } from '../core/resource/fields.ts';
import { root } from '../core/root.ts';
import type { Statement } from '../db/database.ts';
import { DatabaseError } from '../db/errors.ts';
import { conditionShape, conditionValues, positionShape } from './condition.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';
import { readable, restrictionShape, type Selection, select, sourceOf } from './source.ts';
import { bind, column, compiler, place, Slot, template } from './statement.ts';

/**
 * The condition that no more records are embedded than are allowed.
 * It is evaluated once, before any record is read, with the columns of the key only, and fails otherwise: so the statement that embeds needs no
 * trip before it.
 */
export const isWithin = (embed: EmbedPlan): RawBuilder<SqlBool> => {
  const { name, most } = embed;
  const found = targetsOf(embed)
    .where(sql<SqlBool>`${column(sourceField(embed.set, embed.relation.to))} = any(${new Slot(1)}::bigint[])`)
    .limit(sql<number>`${sql.lit(most + 1)}`);
  return sql`case when ${countOf(found)} <= ${sql.lit(most)} then true else embed_overflow(${sql.lit(name)}) end`;
};

/** The statement that counts what a listing embeds by a relation, up to one more than allowed. */
export const countStatement = (plan: ReadPlan, embed: EmbedPlan, tenantId: number): Statement => {
  const { set, conditions, given, after, order } = plan;
  const from = sourceField(set, embed.relation.from);
  const shape = [
    set.resource.source,
    place(from),
    conditions.map(conditionShape),
    restrictionShape(set.restriction),
    after && [order.map(({ field, descending }) => `${descending}${place(field)}`), positionShape(after)],
    embed.set.resource.source,
    embed.relation.to,
    restrictionShape(embed.set.restriction),
    embed.most,
  ];
  const made = template(`embedded|${shape.join('|')}`, () => {
    const found = compiler
      .selectFrom(select(plan, [from]).as('s'))
      .innerJoin(targetsOf(embed).as('t'), join =>
        join.on(sql<SqlBool>`${sql.id('t', 'key')} = ${sql.id('s', place(from))}`),
      )
      .select(sql`1`.as('one'))
      .limit(sql<number>`${sql.lit(embed.most + 1)}`);
    return countOf(found).compile();
  });
  const values = [String(tenantId), ...given, ...conditionValues(conditions)];
  return bind(made, after ? [...values, ...after] : values);
};

/** Selects the keys by which the records of an embed belong to others. */
const targetsOf = ({ relation, set }: EmbedPlan): Selection => {
  const to = sourceField(set, relation.to);
  return readable(sourceOf(set, [to]).select(sql`${column(to)}`.as('key')), set);
};

const countOf = (found: Selection): Selection =>
  compiler.selectFrom(found.as('found')).select(sql`count(*)`.as('count'));

/** The error of a request that would embed more records of a to-many relation than are allowed. */
export const embedTooLarge = ({ name, most, relation: { to }, set: { resource } }: EmbedPlan): ApiError =>
  new ApiError('embed_too_large', {
    message: `embed=${name} has more than ${most} records here: list them with GET ${root}/${resource.name}?${to}=… instead.`,
  });

/** Returns the error of a request that embeds too much; any other error as it is. */
export const asTooLarge = (error: unknown, embeds: readonly EmbedPlan[]): unknown => {
  const name = error instanceof DatabaseError && error.kind === 'embed_overflow' ? error.constraint : null;
  const embed = embeds.find(embed => embed.name === name);
  return embed ? embedTooLarge(embed) : error;
};
