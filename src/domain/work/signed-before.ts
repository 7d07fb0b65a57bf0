import type { Transaction } from '../../db/database.ts';
import { oneOf } from '../../db/ids.ts';
import type { Values } from '../../engine/body.ts';
import { ACCEPTED, OPEN } from './decide.ts';

/**
 * Reads the signed proposals of assignments that are open or accepted.
 * Returns whether signed work equals one of its assignment. See docs/decisions.md, "Check-ins and work".
 */
export const signedBefore = async (assignmentIds: readonly number[], { kysely }: Transaction) => {
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
  return {
    hasTime: (values: Values) => knownTimes.has(timeKey(values)),
    hasWage: (values: Values) => knownWages.has(wageKey(values)),
  };
};

type KeyValues = Readonly<Record<string, unknown>>;

const timeKey = ({ assignment_id, start, end, break_start = null, break_end = null }: KeyValues): string =>
  JSON.stringify([assignment_id, start, end, break_start, break_end]);

const wageKey = ({ assignment_id, wage_type_id, value }: KeyValues): string =>
  JSON.stringify([assignment_id, wage_type_id, Number(value)]);
