import type { Call } from '../core/call/call.ts';
import type { Self } from '../core/call/parameter.ts';
import type { Listing, Reply, Rows } from '../core/call/reply.ts';
import type { Representation } from '../core/resource/representation.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { planListing } from '../query/listing.ts';
import type { ReadPlan } from '../query/plan.ts';
import { basisOf, readBatches, readOn, readPage, readPageIn } from '../query/read.ts';
import { requireEmbeddable } from '../query/representation.ts';
import type { Rules } from './rules.ts';
import type { ActionServices } from './services.ts';
import { requireParent } from './verb.ts';

type ListedRecords<Name extends string> = Representation<Name, true>;

/** Records up to which a whole listing is read like a page, in one trip. */
const atOnce = 1000;
/** The same where others wait for the only connection. */
const inTurn = 200;

/**
 * Returns the handler of GET /{resource}.
 * It lists the records that pass the filters, sorted, with the fields and relations asked for.
 * With `limit` the header Link leads to the next page; with `count` X-Total-Count tells how many there are in all. An alias brings
 * filters and an order of its own; below a parent's path only its records are there.
 * @param services what listings need that wait until their records are as they should be
 */
export const list =
  <Name extends string>(resource: Resource<Name>, rules: ListingRules = {}, services?: ListingServices) =>
  async (asked: Call, db: TenantDb): Promise<ListingReply<Name>> => {
    const planned = await planNow(asked, resource, db, rules);
    return services && (await rules.ready?.(asked, db, services))
      ? services.readConfirmed(asked, db, async (call, db) =>
          listNow(await planNow(call, resource, db, rules), db, rules),
        )
      : listNow(planned, db, rules);
  };

type ListingServices = Pick<ActionServices, 'wakeups' | 'readConfirmed'>;
type ListingRules = Pick<Rules, 'ready' | 'headers' | 'view' | 'supply'>;
type ListingReply<Name extends string> = Reply<200, Rows<ListedRecords<Name>> | Listing<ListedRecords<Name>>>;

/** A listing to be read. */
interface PlannedListing<Name extends string> {
  readonly call: Call;
  readonly listing: ReadPlan<Name, true>;
}

/** Plans a listing, without waiting: a faulty request is rejected at once. @throws ApiError */
const planNow = async <Name extends string>(
  asked: Call,
  resource: Resource<Name>,
  db: TenantDb,
  { view }: ListingRules,
): Promise<PlannedListing<Name>> => {
  const call = view ? await view(asked, db) : asked;
  return { call, listing: planListing(call, resource) };
};

const listNow = async <Name extends string>(
  { call, listing }: PlannedListing<Name>,
  db: TenantDb,
  rules: ListingRules,
): Promise<ListingReply<Name>> => {
  const own = await rules.headers?.(db);
  const whole = listing.limit === null;
  const wanted = whole ? { ...listing, limit: db.oneConnection ? inTurn : atOnce } : listing;
  const all = whole && !db.oneConnection;
  // In one snapshot with what it is supplied with.
  const { first, page } = rules.supply
    ? await db.snapshot(async transaction => {
        const first = { ...(await supplied(listing, call, transaction, rules)), limit: wanted.limit };
        return { first, page: await readPageIn(first, transaction, true, all) };
      })
    : { first: wanted, page: await readPage(wanted, db, all) };
  const { representation, more, next, count } = page;
  const orphans = representation.records.length === 0 && !more ? call.parent : null;
  if (orphans) await requireParent(orphans, call, db);
  // What has headers of its own is not kept: the journal does not tell what they follow from.
  const basis = own ? null : basisOf(first, call.resources, ...(orphans ? [orphans.resource] : []));
  const headers = {
    ...(next !== null && !whole && { link: `<${nextPage(call.self, next)}>; rel="next"` }),
    ...(count !== null && { 'x-total-count': String(count) }),
    ...own,
  };
  if (!more || !whole) return { status: 200, headers, body: { kind: 'rows', representation }, basis };
  await requireEmbeddable(listing, db);
  const produce: Listing['produce'] = consume =>
    db.oneConnection
      ? consume(readOn(first, page, db))
      : db.snapshot(async transaction =>
          consume(readBatches(await supplied(listing, call, transaction, rules), transaction)),
        );
  return { status: 200, headers, body: { kind: 'listing', representation, produce } };
};

const supplied = async <Name extends string>(
  plan: ReadPlan<Name, true>,
  call: Call,
  transaction: Transaction,
  { supply }: Pick<Rules, 'supply'>,
): Promise<ReadPlan<Name, true>> => {
  if (!supply) return plan;
  const { given, supplement } = await supply(call, transaction, plan);
  return { ...plan, given: [...plan.given.slice(0, -1), given], supplement };
};

const nextPage = ({ path, parameters }: Self, cursor: string): string => {
  const pairs = [...parameters.filter(([name]) => name !== 'cursor'), ['cursor', cursor] as const];
  return `${path}?${pairs.map(pair => pair.map(encodeURIComponent).join('=')).join('&')}`;
};
