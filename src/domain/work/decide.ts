import type { Json } from '../../core/call/reply.ts';
import { ApiError, type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import type { Values } from '../../engine/body.ts';
import { entryOf, recordHistory } from '../staffing/history.ts';
import type { WorkedAssignment } from './lock.ts';

export const OPEN = 1;
export const ACCEPTED = 2;

/** Returns the errors of a proposal's change: decisions are final, `fixed` fields stay afterwards. */
export const decisionErrors = (
  before: Values | null,
  after: Values,
  fixed: readonly string[],
): readonly FieldError[] => {
  if (!before || before.status === OPEN) return [];
  const status = before.status === after.status ? [] : [fieldError('invalid_transition', 'status')];
  const changed = fixed.filter(name => before[name] !== after[name]);
  return [
    ...status,
    ...changed.map(name => fieldError('read_only', name, `${name} cannot be changed after the decision.`)),
  ];
};

/**
 * Checks that a proposal, which is being deleted, is not the origin of work or pay.
 * @param made what an accepted one has created
 * @throws ApiError still_referenced (409)
 */
export const requireNotAccepted = (proposal: Values | null, made: string): void => {
  if (proposal?.status !== ACCEPTED) return;
  throw new ApiError('still_referenced', { message: `The proposal has been accepted: a ${made} was made of it.` });
};

/** Returns whether the write decides the proposal. */
export const decides = (before: Values | null, after: Values): boolean =>
  after.status !== OPEN && (before === null || before.status === OPEN);

/** Stores the time of a proposal's decision and adds it, with overridden errors, to the history. */
export const recordDecision = async (
  table: 'work_time_proposals' | 'wage_proposals',
  { id, status }: Values,
  { assignment, overridden = [] }: { readonly assignment: WorkedAssignment; readonly overridden?: readonly string[] },
  apiUserId: number,
  transaction: Transaction,
): Promise<void> => {
  await transaction.kysely.updateTable(table).set({ decided_at: now }).where('id', '=', Number(id)).execute();
  const data: Json = { [`${table.slice(0, -1)}_id`]: Number(id), status: Number(status) };
  await recordHistory([entryOf(assignment, 'proposal', data, { overridden })], apiUserId, transaction);
};
