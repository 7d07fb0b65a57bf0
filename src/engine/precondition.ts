import type { Call } from '../core/call/call.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { Transaction } from '../db/database.ts';
import { showRecord } from './verb.ts';

/**
 * Compares If-Match, where a request has it, with the tag that a read of the same address would give now; the record's row is
 * locked already.
 * @throws ApiError precondition_failed (412)
 */
export const requireMatch = async (call: Call, resource: Resource, transaction: Transaction): Promise<void> => {
  const { ifMatch } = call.headers;
  if (ifMatch === null || ifMatch.trim() === '*') return;
  const { body } = await showRecord(resource, call.id, call, transaction);
  if (!call.matches(ifMatch, body)) throw new ApiError('precondition_failed');
};
