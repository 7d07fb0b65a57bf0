import type { Call } from '../core/call/call.ts';
import type { Parameter } from '../core/call/parameter.ts';
import type { Parent } from '../core/call/parent.ts';
import type { Reply, ReplyOf } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { VerbName } from '../core/resource/verb-names.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { planAmong, planRecord } from '../query/listing.ts';
import type { PlanContext } from '../query/plan.ts';
import { type Page, readPage, readPageIn } from '../query/read.ts';
import type { Values } from './body.ts';
import type { ActionServices } from './services.ts';
import { warningHeaders } from './writing/warnings.ts';

/** One of the operations that every resource may have: the handler of a resource's. */
export type Verb = (resource: Resource, services?: ActionServices) => (call: Call, db: TenantDb) => Promise<Reply>;

/** The handler of each verb. */
export type Verbs = Readonly<Record<VerbName, Verb>>;

/** @throws ApiError not_found (404) if there is no such parent */
export const requireParent = async (parent: Parent, call: Call, db: TenantDb): Promise<void> => {
  const resource = call.resources[parent.resource];
  if (!resource) throw new Error(`There is no resource ${parent.resource}.`);
  shown(await readPage(planRecord([['fields', resource.key]], resource, parent.id, call), db));
};

/** Returns the response that shows one record, as the transaction sees it. */
export const showRecord = async <Name extends string>(
  resource: Resource<Name>,
  id: number,
  call: PlanContext,
  transaction: Transaction,
): Promise<ReplyOf<Name>> =>
  warned(shown(await readPageIn(planRecord([], resource, id, call), transaction)), transaction);

/** The same as the end of a transaction that has written the record: nothing more can be sent. */
export const endWithRecord = async <Name extends string>(
  resource: Resource<Name>,
  id: number,
  call: PlanContext,
  transaction: Transaction,
): Promise<ReplyOf<Name>> => {
  const plan = planRecord([], resource, id, call);
  // What an API user cannot see after having written it is not written.
  return warned(shown(await readPageIn(plan, transaction, plan.set.restriction === undefined)), transaction);
};

/** Returns the response that shows records, as the transaction sees them, in the order of the ids. */
export const showRecords = async <Name extends string>(
  resource: Resource<Name>,
  ids: readonly number[],
  call: PlanContext,
  transaction: Transaction,
) => {
  const { representation } = await readPageIn(planAmong(resource, ids, call), transaction);
  const place = representation.members.findIndex(({ name }) => name === resource.key);
  const byId = new Map(representation.records.map(cells => [Number(cells.text(place)), cells]));
  const records = ids.flatMap(id => [byId.get(id)].filter(cells => cells !== undefined));
  const body = { kind: 'rows', representation: { ...representation, records } } as const;
  return { status: 200, headers: {}, body } as const;
};

const warned = <Shown extends Reply>(reply: Shown, transaction: Transaction): Shown => ({
  ...reply,
  headers: { ...reply.headers, ...warningHeaders(transaction) },
});

/** The reply that shows one record. @throws ApiError not_found (404) if it was not found */
export const shown = <Name extends string>({ representation }: Page<Name, false>): ReplyOf<Name> => {
  if (representation.records.length === 0) throw new ApiError('not_found');
  return { status: 200, headers: {}, body: { kind: 'rows', representation } };
};

/** Whether a stored record belongs to the parent below whose path it is addressed. */
export const isBelow = (record: Values, parent: Parent | null): boolean =>
  parent === null || record[parent.field] === parent.id;

/** Rejects every parameter (`unknown_field`, 400) beside those of the wire. */
export const refuseParameters = ([parameter]: readonly Parameter[]): void => {
  if (parameter)
    throw new ApiError('unknown_field', {
      message: `${parameter[0].slice(0, 64)} is not a parameter of this operation.`,
    });
};
