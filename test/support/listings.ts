import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import type { Json } from '../../src/core/call/reply.ts';
import type { ApiResponse, Client } from './app.ts';

/** Returns the rows of a CSV document (RFC 4180), including the header row. */
export const readCsv = (text: string): string[][] => {
  assert.ok(text.endsWith('\r\n'));
  return parse(text, { record_delimiter: '\r\n', relax_column_count: false });
};

/** Returns the values of a document in NDJSON. */
export const readNdjson = (text: string): Json[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line));

/** Returns the CSV cell of a field's JSON value. */
export const cellOf = (value: Json): string => {
  if (value === null) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && /^([=@\t\r]|[+-](?!\d))/.test(value) ? `'${value}` : String(value);
};

/** Returns the records of a listing and of all pages that follow it by their links. */
export const readPages = async (client: Client, first: string): Promise<ApiResponse['body'][]> => {
  const records = [];
  for (let path = first; path; ) {
    const { body, headers } = await client.call('GET', path);
    records.push(...body);
    path = /<\/api\/v1([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1] ?? '';
  }
  return records;
};
