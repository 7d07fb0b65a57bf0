/**
 * Values of the database as hand-written code wants them, by the object id of their type (PostgreSQL's pg_type.dat). A numeric
 * stays a text, so that no digit is lost; so does every type not named here.
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

/** `2026-04-01 10:30:00+02` → `2026-04-01T08:30:00Z`. Transactions work in UTC; a single statement in whatever zone the server has. */
const toUtc = (text: string): string => {
  if (text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 19)}Z`;
  const time = text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00');
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
};

/** The parser of a type; null: its values stay texts. */
export const parserOf = (type: number): ((text: string) => unknown) | null => parsers[type] ?? null;
