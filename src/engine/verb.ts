import type { Call } from '../core/call/call.ts';
import type { Limits } from '../core/call/limits.ts';
import type { Parameter } from '../core/call/parameter.ts';
import type { Parent } from '../core/call/parent.ts';
import type { Reply, Shown } from '../core/call/reply.ts';
import { ApiError } from '../core/errors.ts';
import type { FieldSet } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { VerbName } from '../core/resource/verb-names.ts';
import type { TenantDb, Transaction } from '../db/database.ts';
import { plan, type ReadPlan, type Schema } from '../query/plan.ts';
import type { Condition } from '../query/predicate.ts';
import { parseQuery, type Query } from '../query/query.ts';
import type { Values } from './body.ts';
import { type Page, readPage, readPageIn, represent } from './records.ts';

/** One of the five operations that every resource may have: a call of it → its answer. */
export type Verb = (call: Call, resource: Resource, db: TenantDb) => Promise<Reply>;

/** The engine's handler of each verb. */
export type Verbs = Readonly<Record<VerbName, Verb>>;

/** What planning needs to know of who asks. */
export const schemaOf = ({ principal: { tenant }, resources, fields }: Call): Schema => ({
  resources,
  modules: tenant.modules,
  timeZone: tenant.timeZone,
  fields,
});

/** The plan that reads one record by its id, if it belongs to the parent. */
export const planRecord = <Name extends string>(
  query: Query,
  set: FieldSet<Name>,
  schema: Schema,
  id: number,
  { limits, parent = null }: { limits?: Limits; parent?: Parent | null } = {},
): ReadPlan<Name> => ({
  ...plan(query, set, schema, { limits }),
  conditions: [equals(set, set.resource.key, id), ...belongsTo(set, parent)],
});

/** That a record belongs to the parent below whose path it is addressed; nothing where there is none. */
export const belongsTo = (set: FieldSet, parent: Parent | null): readonly Condition[] =>
  parent ? [equals(set, parent.field, parent.id)] : [];

const equals = (set: FieldSet, name: string, id: number): Condition => {
  const field = set.byName.get(name);
  if (!field) throw new Error(`${set.resource.name} has no field ${name}`);
  return { field, any: [{ kind: 'equal', not: false, values: [String(id)] }] };
};

/** @throws ApiError not_found (404) if there is no such parent */
export const requireParent = async (parent: Parent, call: Call, db: TenantDb): Promise<void> => {
  const resource = call.resources[parent.resource];
  if (!resource) throw new Error(`There is no resource ${parent.resource}.`);
  const query = parseQuery([['fields', resource.key]]);
  const record = planRecord(query, call.fields.of(resource), schemaOf(call), parent.id);
  shown(record, await readPage(record, db));
};

/** The answer that shows one record, as the transaction sees it. */
export const showRecord = async <Name extends string>(
  resource: Resource<Name>,
  id: number,
  call: Call,
  transaction: Transaction,
): Promise<Shown<Name>> => {
  const record = planRecord(parseQuery([]), call.fields.of(resource), schemaOf(call), id);
  return shown(record, await readPageIn(record, transaction));
};

/** The answer for the records of a plan that addresses one; `not_found` (404) if there is none. */
export const shown = <Name extends string>(record: ReadPlan<Name>, { records }: Page): Shown<Name> => {
  if (records.length === 0) throw new ApiError('not_found');
  return { status: 200, headers: {}, body: { kind: 'rows', representation: represent(record, false, records) } };
};

/** Whether a stored record belongs to the parent below whose path it is addressed. */
export const isBelow = (record: Values, parent: Parent | null): boolean =>
  parent === null || record[parent.field] === parent.id;

/** Refuses every parameter (`unknown_field`, 400): for operations that take none beside those of the wire. */
export const refuseParameters = ([parameter]: readonly Parameter[]): void => {
  if (parameter)
    throw new ApiError('unknown_field', {
      message: `${parameter[0].slice(0, 64)} is not a parameter of this operation.`,
    });
};
