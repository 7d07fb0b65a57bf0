import type { Self } from '../http/wire.ts';
import { printCursor } from '../query/cursor.ts';
import { plan } from '../query/plan.ts';
import { parseQuery } from '../query/query.ts';
import { fieldsOf } from './fields.ts';
import { readPage, represent } from './records.ts';
import { schemaOf, type Verb } from './verb.ts';

/**
 * GET /{resource}: the records that pass the filters, sorted, with the fields and relations asked for. With `limit` the header Link
 * leads to the next page; with `count` X-Total-Count tells how many there are in all.
 */
export const list: Verb = async ({ principal, parameters, self, limits }, resource, db) => {
  const query = parseQuery(parameters);
  const listing = plan(query, fieldsOf(resource), schemaOf(principal), limits);
  const { records, next, count } = await readPage(listing, db);
  const headers: Record<string, string> = {};
  if (next) headers.link = `<${nextPage(self, printCursor(next, query))}>; rel="next"`;
  if (count !== null) headers['x-total-count'] = String(count);
  return { status: 200, headers, body: { kind: 'rows', representation: represent(listing, true, records) } };
};

const nextPage = ({ path, parameters }: Self, cursor: string): string => {
  const pairs = [...parameters.filter(([name]) => name !== 'cursor'), ['cursor', cursor] as const];
  return `${path}?${pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')}`;
};
