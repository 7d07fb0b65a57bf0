import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import type { Values } from '../../engine/body.ts';
import { ACCEPTED, OPEN } from './decide.ts';

/** Returns whether signed work equals a signed proposal of its assignment that is open or accepted. */
export interface SignedBefore {
  hasTime(values: Values): boolean;
  hasWage(values: Values): boolean;
}

/**
 * Reads the signed proposals of assignments that are open or accepted.
 * See docs/decisions.md, "Check-ins and work".
 */
export const signedBefore = async (
  assignmentIds: readonly number[],
  { kysely }: Transaction,
): Promise<SignedBefore> => {
  const ids = oneOf(assignmentIds);
  const [times, wages] = await Promise.all([
    kysely
      .selectFrom('work_time_proposals')
      .select(['assignment_id', 'start', 'end', 'break_start', 'break_end'])
      .where('assignment_id', '=', ids)
      .where('status', 'in', [OPEN, ACCEPTED])
      .where('signed_at', 'is not', null)
      .execute(),
    kysely
      .selectFrom('wage_proposals')
      .select(['assignment_id', 'wage_type_id', 'value'])
      .where('assignment_id', '=', ids)
      .where('status', 'in', [OPEN, ACCEPTED])
      .where('signed_at', 'is not', null)
      .execute(),
  ]);
  const [knownTimes, knownWages] = [new Set(times.map(timeKey)), new Set(wages.map(wageKey))];
  return { hasTime: values => knownTimes.has(timeKey(values)), hasWage: values => knownWages.has(wageKey(values)) };
};

type KeyValues = Readonly<Record<string, unknown>>;

const timeKey = ({ assignment_id, start, end, break_start = null, break_end = null }: KeyValues): string =>
  JSON.stringify([assignment_id, start, end, break_start, break_end]);

const wageKey = ({ assignment_id, wage_type_id, value }: KeyValues): string =>
  JSON.stringify([assignment_id, wage_type_id, Number(value)]);
