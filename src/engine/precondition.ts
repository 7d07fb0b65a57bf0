import type { Call } from '../core/call/call.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { Transaction } from '../db/database.ts';
import type { Values } from './body.ts';
import { addressed, hasExternalId } from './references/external-id.ts';
import type { Rules } from './rules.ts';
import { isBelow, showRecord } from './verb.ts';
import { type Locked, lock } from './writing/lock.ts';

/**
 * Locks the record that a call addresses, by its id or its external id, after what its rules lock.
 * See docs/decisions.md, "Responses".
 * @throws ApiError not_found (404), precondition_failed (412)
 */
export const lockAddressed = async (
  call: Call,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
): Promise<Locked> => {
  const id = await addressed(call, resource, transaction);
  const locked = id === null ? null : await lockRecord({ ...call, id }, resource, transaction, rules);
  if (locked === null) throw new ApiError('not_found');
  return locked;
};

/**
 * Locks the record of a call whose id is known, after what its rules lock.
 * Null: there is no such record.
 * @throws ApiError precondition_failed (412)
 */
export const lockRecord = async (
  call: Call,
  resource: Resource,
  transaction: Transaction,
  rules: Rules,
  body: Values = {},
): Promise<Locked | null> => {
  await rules.lock?.({ id: call.id, body }, transaction);
  const locked = await lock(call.fields.get(resource), call.id, transaction);
  if (!locked || !isBelow(locked.before, call.parent) || !hasExternalId(locked.before, resource, call)) return null;
  await requireMatch(call, resource, transaction);
  return locked;
};

/**
 * Compares If-Match, where a request has it, with the tag that a read of the same URL would give now.
 * The record's row is locked already.
 * @throws ApiError precondition_failed (412)
 */
const requireMatch = async (call: Call, resource: Resource, transaction: Transaction): Promise<void> => {
  const { ifMatch } = call.headers;
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const { body } = await showRecord(resource, call.id, call, transaction);
  if (!call.matches(ifMatch, body)) throw new ApiError('precondition_failed');
};
