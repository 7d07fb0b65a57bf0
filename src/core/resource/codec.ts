import type { Json } from '../call/reply.ts';
import type { FieldType } from './resource.ts';

/** Converts a column's string, as returned by the database, to the JSON value of a response. */
export const decode = (type: FieldType, text: string | null): Json => {
  if (text === null) return null;
  switch (type) {
    case 'integer':
    case 'number':
      return Number(text);
    case 'flag':
      return text === 't' ? 1 : 0;
    case 'json':
      return JSON.parse(text);
    case 'date_time':
      return instantOf(text);
    default:
      return text;
  }
};

/** The representation of a boolean in JSON: 0 or 1. */
export const flagOf = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** Converts `2026-04-01 12:00:00+00` to `2026-04-01T12:00:00Z`. Columns store whole seconds. */
export const instantOf = (text: string): string => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;

/** Converts a field's JSON value to the string that Postgres parses for its column. */
export const encode = (type: FieldType, value: Json): string | null => {
  if (value === null) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'flag') return value === 1 ? 'true' : 'false';
  return String(value);
};
