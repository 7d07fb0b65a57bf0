import { prepareValue } from 'pg/lib/utils.js';

/** Returns a value in Postgres's text format, as `pg` converts it; bytes in hexadecimal. */
export const toText = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  const text = prepareValue(value);
  return Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : text;
};
