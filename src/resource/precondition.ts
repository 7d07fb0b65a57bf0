import type { Transaction } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/call.ts';
import { matchesEtag } from '../http/etag.ts';
import { etagOfBody } from '../http/render.ts';
import type { Resource } from './resource.ts';
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
  if (!body || !matchesEtag(ifMatch, etagOfBody(body, call.format, transaction.tenant.id)))
    throw new ApiError('precondition_failed');
};
