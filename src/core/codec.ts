import type { Json } from './reply.ts';
import type { FieldType } from './resource.ts';

/** A column's text, as the database sends it, as the JSON value of an answer. */
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

/** A flag as it is wherever values are. */
export const flagOf = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** `2026-04-01 12:00:00+00` → `2026-04-01T12:00:00Z`; sessions are in UTC and columns keep whole seconds. */
export const instantOf = (text: string): string => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`;

/** A JSON value of a field as the text that Postgres reads for its column. */
export const encode = (type: FieldType, value: Json): string | null => {
  if (value === null) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'flag') return value === 1 ? 'true' : 'false';
  return String(value);
};
