import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import type { Json } from '../../src/core/call/reply.ts';

/** The rows of a CSV text (RFC 4180), the header row first. */
export const readCsv = (text: string): string[][] => {
  assert.ok(text.endsWith('\r\n'));
  return parse(text, { record_delimiter: '\r\n', relax_column_count: false });
};

/** The objects of a text of JSON lines. */
export const readNdjson = (text: string): Json[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

/** A cell as CSV has it for a field's value in JSON. */
export const cellOf = (value: Json): string => {
  if (value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && /^([=@\t\r]|[+-](?!\d))/.test(value) ? `'${value}` : String(value);
};
