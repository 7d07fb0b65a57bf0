import { resources } from '../../generated/resources.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import type { Reply } from '../http/reply.ts';
import type { Parameter } from '../http/wire.ts';
import { type Limits, plan, type ReadPlan, type Schema } from '../query/plan.ts';
import { parseQuery, type Query } from '../query/query.ts';
import type { Principal } from '../tenancy/principal.ts';
import { type FieldSet, fieldsOf } from './fields.ts';
import { type Page, readPageIn, represent } from './records.ts';
import type { Resource } from './resource.ts';

/** One of the five operations that every resource may have: a call of it → its answer. */
export type Verb = (call: Call, resource: Resource, db: TenantDb) => Promise<Reply>;

/** What planning needs to know of who asks. */
export const schemaOf = ({ tenant }: Principal): Schema => ({
  resources,
  modules: tenant.modules,
  timeZone: tenant.timeZone,
});

/** The plan that reads one record by its id. */
export const planRecord = (query: Query, set: FieldSet, schema: Schema, id: number, limits?: Limits): ReadPlan => {
  const key = set.byName.get(set.resource.key);
  if (!key) throw new Error(`${set.resource.name} has no field ${set.resource.key}`);
  const any = [{ kind: 'equal', not: false, values: [String(id)] }] as const;
  return { ...plan(query, set, schema, limits), conditions: [{ field: key, any }] };
};

/** The answer that shows one record, as the transaction sees it. */
export const showRecord = async (
  resource: Resource,
  id: number,
  call: Call,
  transaction: Transaction,
): Promise<Reply> => {
  const record = planRecord(parseQuery([]), fieldsOf(resource), schemaOf(call.principal), id);
  return shown(record, await readPageIn(record, transaction));
};

/** The answer for the records of a plan that addresses one; `not_found` (404) if there is none. */
export const shown = (record: ReadPlan, { records }: Page): Reply => {
  if (records.length === 0) throw new ApiError('not_found');
  return { status: 200, headers: {}, body: { kind: 'rows', representation: represent(record, false, records) } };
};

/** Refuses every parameter (`unknown_field`, 400): for operations that take none beside those of the wire. */
export const refuseParameters = ([parameter]: readonly Parameter[]): void => {
  if (parameter)
    throw new ApiError('unknown_field', {
      message: `${parameter[0].slice(0, 64)} is not a parameter of this operation.`,
    });
};
