import type { Self } from '../http/wire.ts';
import { printCursor } from '../query/cursor.ts';
import { plan } from '../query/plan.ts';
import { parseQuery } from '../query/query.ts';
import { fieldsOf } from './fields.ts';
import { readBatches, readPage, represent } from './records.ts';
import { schemaOf, type Verb } from './verb.ts';

/** Records up to which a whole listing is read like a page, in one trip. */
const atOnce = 1000;

/**
 * GET /{resource}: the records that pass the filters, sorted, with the fields and relations asked for. With `limit` the header Link
 * leads to the next page; with `count` X-Total-Count tells how many there are in all.
 */
export const list: Verb = async ({ principal, parameters, self, limits }, resource, db) => {
  const query = parseQuery(parameters);
  const listing = plan(query, fieldsOf(resource), schemaOf(principal), limits);
  const whole = listing.limit === null;
  const { records, next, count } = await readPage(whole ? { ...listing, limit: atOnce } : listing, db);
  const headers: Record<string, string> = {};
  if (next && !whole) headers.link = `<${nextPage(self, printCursor(next, query))}>; rel="next"`;
  if (count !== null) headers['x-total-count'] = String(count);
  const representation = represent(listing, true, records);
  if (!next || !whole) return { status: 200, headers, body: { kind: 'rows', representation } };
  return {
    status: 200,
    headers,
    body: {
      kind: 'listing',
      representation: represent(listing, true, []),
      produce: consume => db.snapshot(transaction => consume(readBatches(listing, transaction))),
    },
  };
};

const nextPage = ({ path, parameters }: Self, cursor: string): string => {
  const pairs = [...parameters.filter(([name]) => name !== 'cursor'), ['cursor', cursor] as const];
  return `${path}?${pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')}`;
};
