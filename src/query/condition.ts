import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Field } from '../core/resource/resource.ts';
import type { Position } from './cursor.ts';
import type { Condition, Predicate } from './predicate.ts';
import type { OrderTerm } from './sort.ts';
import { column, columnTypes, place, type Slot } from './statement.ts';

/** Returns the next slot. Slots are in the order of `conditionValues`, then of a position's values. */
export type Slots = () => Slot;

/** The values of conditions, in the order of their slots. */
export const conditionValues = (conditions: readonly Condition[]): readonly string[] => {
  const all: string[] = [];
  for (const { any } of conditions) for (const { values } of any) all.push(...values);
  return all;
};

/** A cache key of a condition: equal for conditions with the same SQL. */
export const conditionShape = ({ field, any }: Condition): string =>
  `${place(field)}:${any.map(predicateShape).join('|')}`;

/** The SQL of a condition. */
export const conditionSql = ({ field, any }: Condition, slot: Slots): RawBuilder<SqlBool> =>
  either(any.map(predicate => predicateSql(field, predicate, slot)));

/** The fields whose columns a condition's SQL names: none if it asks only whether a value is null. */
export const fieldsIn = ({ field, any }: Condition): readonly Field[] =>
  field.nullable || any.some(({ kind }) => kind !== 'null') ? [field] : [];

/** A cache key of a position, equal for positions with the same SQL: which of its values are null. */
export const positionShape = (position: Position): string => position.map(text => (text === null ? '0' : '1')).join('');

/** A term of an order at a position. */
export interface PageBound {
  /** The SQL of the term's field. */
  readonly left: RawBuilder<unknown>;
  /** The SQL of its value at the position; null: the value is null. */
  readonly value: RawBuilder<unknown> | null;
  readonly nullable: boolean;
  readonly descending: boolean;
}

/** The terms of an order at a position, but for those that no record has a value of. */
export const boundsOf = (order: readonly OrderTerm[], position: Position, slot: Slots): readonly PageBound[] =>
  order.flatMap(({ field, descending, only }, index) => {
    const value = sql`${slot()}::${columnTypes[field.type]}`;
    if (only === 'nulls') return [];
    return {
      left: column(field),
      value: position[index] === null ? null : value,
      nullable: field.nullable === true && only !== 'values',
      descending,
    };
  });

/**
 * The SQL condition that a record comes after a position.
 * Not before it in the first term and, unless it differs there, after it in the others. Nulls sort last in ascending order and first in
 * descending order. Postgres can use an index for the first term's condition.
 */
export const afterSql = ([first, ...others]: readonly PageBound[]): RawBuilder<SqlBool> => {
  if (!first) return sql<SqlBool>`false`;
  return others.length === 0 ? laterSql(first) : all([notBeforeSql(first), differsOrAfterSql(first, others)]);
};

/** The condition that a record differs in the first term from the position, or is after it in others. */
export const differsOrAfterSql = (first: PageBound, others: readonly PageBound[]): RawBuilder<SqlBool> =>
  either([differsSql(first), afterSql(others)]);

/** The condition that a record is not before the position in the term. */
export const notBeforeSql = ({ left, value, nullable, descending }: PageBound): RawBuilder<SqlBool> => {
  if (value === null) return descending ? sql`true` : sql`${left} is null`;
  if (descending) return sql`${left} <= ${value}`;
  return nullable ? sql`(${left} >= ${value} or ${left} is null)` : sql`${left} >= ${value}`;
};

const laterSql = ({ left, value, nullable, descending }: PageBound): RawBuilder<SqlBool> => {
  if (value === null) return descending ? sql`${left} is not null` : sql`false`;
  if (descending) return sql`${left} < ${value}`;
  return nullable ? sql`(${left} > ${value} or ${left} is null)` : sql`${left} > ${value}`;
};

const differsSql = ({ left, value, nullable, descending }: PageBound): RawBuilder<SqlBool> => {
  if (value === null) return descending ? sql`${left} is not null` : sql`false`;
  return nullable && !descending ? sql`${left} is distinct from ${value}` : sql`${left} <> ${value}`;
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
  // The form that an index of values only, and what Postgres expects of it, is for.
  if (predicate.kind === 'null' && predicate.not && field.nullable) return sql`${column(field)} is not null`;
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
