import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Field } from '../core/resource/resource.ts';
import type { Position } from './cursor.ts';
import type { OrderTerm } from './order.ts';
import type { Condition, Predicate } from './predicate.ts';
import { column, columnTypes, place, type Slot } from './statement.ts';

/** Returns the next slot. Slots are numbered in the order of `conditionValues` and `positionValues`. */
export type Slots = () => Slot;

/** The values of a condition, in the order of its slots. */
export const conditionValues = ({ any }: Condition): string[] => any.flatMap(({ values }) => [...values]);

/** A cache key of a condition: equal for conditions with the same SQL. */
export const conditionShape = ({ field, any }: Condition): string =>
  `${place(field)}:${any.map(predicateShape).join('|')}`;

/** The SQL of a condition. */
export const conditionSql = ({ field, any }: Condition, slot: Slots): RawBuilder<SqlBool> =>
  either(any.map(predicate => predicateSql(field, predicate, slot)));

/** The values of a position, in the order of its slots. */
export const positionValues = (position: Position): (string | null)[] => [...position];

/** A cache key of a position, equal for positions with the same SQL: which of its values are null. */
export const positionShape = (position: Position): string => position.map(text => (text === null ? '0' : '1')).join('');

/**
 * The SQL condition that a record comes after a position: greater in the first term, or equal in it and greater in the second,
 * and so on. Nulls sort last in ascending order and first in descending order.
 */
export const positionSql = (order: readonly OrderTerm[], position: Position, slot: Slots): RawBuilder<SqlBool> => {
  const values = order.map(({ field }) => sql`${slot()}::${columnTypes[field.type]}`);
  const ties = order.map(({ field }, index) =>
    position[index] === null
      ? sql<SqlBool>`${column(field)} is null`
      : sql<SqlBool>`${column(field)} = ${values[index]}`,
  );
  const after = either(
    order.map((term, index) => all([...ties.slice(0, index), later(term, position[index] === null, values[index])])),
  );
  const bound = firstBound(order[0] as OrderTerm, position[0] === null, values[0]);
  return bound ? all([bound, after]) : after;
};

/** A bound on the first term, so that Postgres can use an index on it; null if nulls rule it out. Implied by the full condition. */
const firstBound = ({ field, descending }: OrderTerm, isNull: boolean, value: RawBuilder<unknown> | undefined) => {
  if (isNull || (field.nullable && !descending)) return null;
  return descending ? sql<SqlBool>`${column(field)} <= ${value}` : sql<SqlBool>`${column(field)} >= ${value}`;
};

const later = ({ field, descending }: OrderTerm, isNull: boolean, value: RawBuilder<unknown> | undefined) => {
  if (isNull) return descending ? sql<SqlBool>`${column(field)} is not null` : sql<SqlBool>`false`;
  if (descending) return sql<SqlBool>`${column(field)} < ${value}`;
  return field.nullable
    ? sql<SqlBool>`(${column(field)} > ${value} or ${column(field)} is null)`
    : sql<SqlBool>`${column(field)} > ${value}`;
};

const all = (parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> => sql`(${sql.join([...parts], sql` and `)})`;

const either = (parts: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  parts.length === 1 ? (parts[0] as RawBuilder<SqlBool>) : sql`(${sql.join(parts, sql` or `)})`;

const predicateShape = (predicate: Predicate): string =>
  (predicate.not ? '-' : '') +
  predicate.kind +
  (predicate.kind === 'order' ? predicate.operator : '') +
  (predicate.kind === 'like' && predicate.fold ? '~' : '');

/** Negates with `is not true` instead of `not (…)`, so that the negation also holds for null values. */
const predicateSql = (field: Field, predicate: Predicate, slot: Slots): RawBuilder<SqlBool> => {
  const positive = positiveSql(field, predicate, slot);
  return predicate.not ? sql`(${positive}) is not true` : positive;
};

const positiveSql = (field: Field, predicate: Predicate, slot: Slots): RawBuilder<SqlBool> => {
  const left = column(field);
  const type = columnTypes[field.type];
  switch (predicate.kind) {
    case 'null':
      // What is never null is not computed to be tested.
      return field.nullable ? sql`${left} is null` : sql`false`;
    case 'equal':
      return sql`${left} = ${slot()}::${type}`;
    case 'among':
      return sql`${left} = any(${slot()}::${type}[])`;
    case 'order':
      return sql`${left} ${operators[predicate.operator]} ${slot()}::${type}`;
    case 'within':
      return sql`(${left} >= ${slot()}::${type} and ${left} < ${slot()}::${type})`;
    case 'like':
      return predicate.fold
        ? sql`fold_case(${left}) collate "C" like fold_case(${slot()}::text) collate "C"`
        : sql`${textForm(field)} like ${slot()}::text`;
    case 'member':
      return sql`${left} @> ${slot()}::jsonb`;
  }
};

const operators = { '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=` } as const;

/** The column as a string, formatted as in responses. */
const textForm = (field: Field): RawBuilder<unknown> => {
  if (field.type === 'date') return sql`to_char(${column(field)}, 'YYYY-MM-DD')`;
  if (field.type === 'date_time')
    return sql`to_char(${column(field)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  return column(field);
};
