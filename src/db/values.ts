/**
 * Parsers by the object id of the type (PostgreSQL's pg_type.dat).
 * Values of `numeric` stay strings, to keep their precision, as do those of all types not listed here.
 */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // boolean
  16: text => text === 't',
  // bigint, smallint, integer, oid
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  // real, double precision
  700: Number,
  701: Number,
  // json, jsonb
  114: text => JSON.parse(text) as unknown,
  3802: text => JSON.parse(text) as unknown,
  // timestamptz
  1184: text => toUtc(text),
};

/** Converts `2026-04-01 10:30:00+02` to `2026-04-01T08:30:00Z`, for servers with any time zone. */
const toUtc = (text: string): string => {
  if (text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
  return `${timestampOf(text).toISOString().slice(0, 19)}Z`;
};

/** Returns the time of `2026-04-01 10:30:00+02`. */
export const timestampOf = (text: string): Date => new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));

/** Returns the parser of a type; null: its values stay strings. */
export const parserOf = (type: number): ((text: string) => unknown) | null => parsers[type] ?? null;

/** Returns the values as a Postgres array literal. */
export const arrayLiteral = (values: readonly (number | string)[]): string =>
  `{${values.map(value => (typeof value === 'number' ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`;
