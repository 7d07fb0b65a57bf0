import { createHash } from 'node:crypto';
import type { Call } from '../../core/call/call.ts';
import { type FieldError, fieldError, invalidField, validationFailed } from '../../core/errors.ts';
import { isClean } from '../../core/lines.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Row, Statement, Transaction } from '../../db/database.ts';
import { bind, type StatementTemplate } from '../../query/statement.ts';
import { type Values, withoutSurplus } from '../body.ts';
import { relatedIn } from './names.ts';
import { idTemplate, type ReadBody, readRelated } from './related.ts';
import { settleAction } from './settle.ts';

/** A write whose records are known by their ids; its body has the external id of the path. */
export interface Identified extends ReadBody {
  /** The number of unknown members that the body had beyond those that it has. */
  readonly surplus: number;
  /** The id of the record that has the external id of the path or the body; null: none. */
  readonly holder: number | null;
}

/**
 * Finds the records that a write names by external ids, in one trip.
 * Until the transaction ends, no other one can give a record the external id that this one writes; this lock precedes all others.
 */
export const identify = async (call: Call, resource: Resource, transaction: Transaction): Promise<Identified> => {
  const { externalKey: key } = resource;
  const own = key === undefined ? null : (call.externalId ?? call.body[key] ?? null);
  const claiming = typeof own === 'string' && isClean('one', own) ? claimOf(resource, own, transaction) : [];
  const set = call.fields.get(resource);
  const { body: given, surplus } = withoutSurplus(set, call.body, relatedIn(set, call.resources));
  const references = readRelated(resource, given, call, ({ access }) => access !== 'read');
  const statements = [...claiming, ...references.statements];
  const results = statements.length > 0 ? await transaction.send(...statements) : [];
  const rows = results.map(result => result.rows);
  const read = references.resolve(rows.slice(claiming.length));
  return {
    ...read,
    ...withPath(read.body, read.errors, key, call.externalId),
    surplus,
    holder: claiming.length > 0 ? idOf(rows[1] ?? []) : null,
  };
};

/**
 * Returns the body of an action with ids in place of external ids, for known references.
 * @param field the reference without which the action can do nothing
 * @throws ApiError validation_failed (422) if it is missing, or a reference is wrong; not_found (404)
 */
export const identifyBody = async <Body extends object, Field extends keyof Body & string>(
  call: Pick<Call, 'fields' | 'resources' | 'principal' | 'limits' | 'id'> & { readonly body: Body },
  resource: Resource,
  field: Field,
  transaction: Transaction,
): Promise<Body & { readonly [Key in Field]-?: Exclude<Body[Key], undefined> }> => {
  const references = readRelated(resource, call.body as Values, call, () => true);
  const results = references.statements.length > 0 ? await transaction.send(...references.statements) : [];
  const read = references.resolve(results.map(({ rows }) => rows));
  const { body, errors } = await settleAction(read, resource, call.id, call, transaction);
  if (errors.length > 0) throw validationFailed(errors);
  if (!Object.hasOwn(body, field)) throw invalidField('not_empty', field, `${field}: a value is required.`);
  return body as Body & { readonly [Key in Field]-?: Exclude<Body[Key], undefined> };
};

/** Returns the id of the record that the call addresses by id or external id; null: none. */
export const addressed = async (call: Call, resource: Resource, transaction: Transaction): Promise<number | null> => {
  if (call.externalId === null) return call.id;
  const [result] = await transaction.send(holderStatement(resource, call.externalId, transaction));
  return idOf(result?.rows ?? []);
};

/** Whether a record still has the external id that the call addresses it by. */
export const hasExternalId = (record: Values, { externalKey: key }: Resource, { externalId }: Call): boolean =>
  externalId === null || (key !== undefined && record[key] === externalId);

/** Returns the errors of a write: of its identification, its draft, and a taken external id. */
export const identifiedErrors = (
  { surplus, errors, unresolved, holder }: Identified,
  drafted: readonly FieldError[],
  { externalKey: key = '', singular }: Resource,
  id: number | null,
): readonly FieldError[] => [
  ...errors,
  ...drafted.filter(({ field }) => !unresolved.has(field)),
  ...(holder === null || holder === id
    ? []
    : [fieldError('not_unique', key, `${key}: the ${singular} ${holder} has this value.`, { id: holder })]),
  ...Array<FieldError>(surplus).fill(fieldError('unknown_field', '')),
];

const withPath = (
  body: Values,
  errors: readonly FieldError[],
  key: string | undefined,
  externalId: string | null,
): Pick<Identified, 'body' | 'errors'> => {
  if (key === undefined || externalId === null) return { body, errors };
  const differs = Object.hasOwn(body, key) && body[key] !== externalId;
  const error = fieldError('read_only', key, `${key} is given by the path.`);
  return { body: { ...body, [key]: externalId }, errors: differs ? [...errors, error] : errors };
};

/** The statements that lock an external id until the end, and then read the id of its record. */
const claimOf = (resource: Resource, externalId: string, transaction: Transaction): readonly Statement[] => {
  const place = JSON.stringify([transaction.tenant.id, resource.name, externalId]);
  const lock = createHash('sha256').update(place).digest().readBigInt64BE();
  return [
    bind(claim, [String(transaction.tenant.id), String(lock)]),
    holderStatement(resource, externalId, transaction),
  ];
};

const locks = {
  name: 'external_id_locks',
  text: 'select pg_advisory_xact_lock(k) from (select k from unnest($1::bigint[]) k order by k) k',
  slots: [1],
};

/** Several are locked in one order, whoever locks them. */
const claim: StatementTemplate = {
  name: 'external_id_lock',
  text: 'select pg_advisory_xact_lock($1::bigint)',
  slots: [1],
  form: { shape: 'external_id_lock', textFor: () => locks, ways: {}, gives: 'none' },
};

const holderStatement = (resource: Resource, externalId: string, { tenant }: Transaction): Statement =>
  bind(idTemplate(resource), [String(tenant.id), externalId]);

const idOf = ([row]: readonly Row[]): number | null => (row ? Number(row[0]) : null);
