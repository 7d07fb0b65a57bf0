import type { Call } from '../core/call/call.ts';
import type { Self } from '../core/call/parameter.ts';
import type { Listing, Reply, Rows } from '../core/call/reply.ts';
import type { Representation } from '../core/resource/representation.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { printCursor } from '../query/cursor.ts';
import { plan } from '../query/plan.ts';
import { parseQuery } from '../query/query.ts';
import { overlay, presentOf } from './alias.ts';
import { readBatches, readPage, represent } from './records.ts';
import { belongsTo, requireParent, schemaOf } from './verb.ts';

type Records<Name extends string> = Representation<Name, true>;

/** Records up to which a whole listing is read like a page, in one trip. */
const atOnce = 1000;

/**
 * GET /{resource}: the records that pass the filters, sorted, with the fields and relations asked for. With `limit` the header Link
 * leads to the next page; with `count` X-Total-Count tells how many there are in all. An alias brings filters and an order of its
 * own; below a parent's path only its records are there.
 */
export const list = async <Name extends string>(
  call: Call,
  resource: Resource<Name>,
  db: TenantDb,
): Promise<Reply<200, Rows<Records<Name>> | Listing<Records<Name>>>> => {
  const { parameters, self, parent, limits } = call;
  const alias = resource.aliases.find(({ name }) => name === call.alias) ?? null;
  const own = parseQuery(parameters);
  const query = overlay(presentOf(alias, call.principal.tenant.timeZone), own);
  // A cursor stays good while the present moves on.
  const asked = overlay(alias, own);
  const set = call.fields.of(resource);
  const wanted = plan(query, set, schemaOf(call), { asked, limits });
  const listing = parent ? { ...wanted, conditions: [...wanted.conditions, ...belongsTo(set, parent)] } : wanted;
  const whole = listing.limit === null;
  const { records, next, count } = await readPage(whole ? { ...listing, limit: atOnce } : listing, db);
  if (parent && records.length === 0) await requireParent(parent, call, db);
  const headers: Record<string, string> = {};
  if (next && !whole) headers.link = `<${nextPage(self, printCursor(next, asked))}>; rel="next"`;
  if (count !== null) headers['x-total-count'] = String(count);
  const representation = represent(listing, true, records);
  if (!next || !whole) return { status: 200, headers, body: { kind: 'rows', representation } };
  const produce: Listing['produce'] = consume => db.snapshot(transaction => consume(readBatches(listing, transaction)));
  return { status: 200, headers, body: { kind: 'listing', representation: represent(listing, true, []), produce } };
};

const nextPage = ({ path, parameters }: Self, cursor: string): string => {
  const pairs = [...parameters.filter(([name]) => name !== 'cursor'), ['cursor', cursor] as const];
  return `${path}?${pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')}`;
};
