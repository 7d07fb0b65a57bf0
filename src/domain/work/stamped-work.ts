import { Temporal } from 'temporal-polyfill';
import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { parsedConfigurations } from '../staffing/configurations.ts';
import { timeNames } from '../staffing/times/effective.ts';
import { isBooked } from '../staffing/transition.ts';
import { type Interval, merge, subtract } from '../time/interval.ts';
import { OPEN } from './decide.ts';
import { freeze } from './lock.ts';
import { distanceErrors } from './plausible.ts';
import { type Stamp, stampsOf } from './stamps.ts';
import { timesErrors } from './times.ts';
import type { WorkedTimes } from './worked.ts';

/** The source of proposals that check-ins made. */
const FROM_CHECKINS = 3;
const [BREAK_START, BREAK_END, END] = [2, 3, 4];

/**
 * Brings the open proposals made from an assignment's check-ins in line, if configured.
 * Call it after each change of a check-in, with the assignment locked. See docs/decisions.md, "Check-ins and work".
 */
export const proposeStampedWork = async (
  assignmentId: number,
  timeZone: string,
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  const assignment = await kysely
    .selectFrom('assignments_view')
    .select(['status', 'start', 'end', 'is_approved', 'paid_on', 'correction', parsedConfigurations])
    .where('id', '=', assignmentId)
    .executeTakeFirst();
  const { from_checkins, round_minutes = 1 } = assignment?.configurations.work_time_proposals ?? {};
  if (!assignment || from_checkins !== 1 || !isBooked(assignment.status)) return;
  if (freeze({ ...assignment, is_paid: assignment.paid_on !== null }, 'id').length > 0) return;
  const works = worksOf(await stampsOf('checkins', assignmentId, transaction), round_minutes, timeZone);
  const isValid = works.every(times => timesErrors(times).length + distanceErrors(assignment, times).length === 0);
  await replaceProposals(assignmentId, isValid ? works : [], transaction);
};

/**
 * Returns the work of stamps, each rounded, as few records in the order of time.
 * A record has at most one break. Together they are the stamped time; none without an end, or if rounding leaves nothing.
 */
export const worksOf = (stamps: readonly Stamp[], minutes: number, timeZone: string): readonly WorkedTimes[] => {
  const [first, last] = [stamps[0], stamps.at(-1)];
  if (!first || last?.type !== END) return [];
  const rounded = (stamp: Stamp): number => roundedSeconds(stamp.timestamp, minutes, timeZone);
  const pauses = stamps.flatMap((stamp, index) => {
    const next = stamps[index + 1];
    return stamp.type === BREAK_START && next?.type === BREAK_END ? [{ from: rounded(stamp), to: rounded(next) }] : [];
  });
  const worked = pauses
    .filter(({ from, to }) => from < to)
    .reduce<readonly Interval[]>(
      (parts, pause) => parts.flatMap(part => subtract(part, pause)),
      merge([{ from: rounded(first), to: rounded(last) }]),
    );
  return worked.flatMap((part, index) => (index % 2 === 0 ? [aroundBreak(part, worked[index + 1])] : []));
};

/** Returns the times of work without a break, or of work on both sides of its break. */
const aroundBreak = ({ from, to }: Interval, after: Interval | undefined): WorkedTimes => ({
  start: instant(from),
  end: instant(after?.to ?? to),
  break_start: after ? instant(to) : null,
  break_end: after ? instant(after.from) : null,
});

/** Returns the nearest multiple of the minutes in local time, half up, in seconds since 1970. */
const roundedSeconds = (timestamp: string, minutes: number, timeZone: string): number => {
  const zoned = Temporal.Instant.from(timestamp).toZonedDateTimeISO(timeZone);
  const step = minutes * 60;
  const seconds = zoned.hour * 3600 + zoned.minute * 60 + zoned.second;
  return zoned.epochMilliseconds / 1000 + Math.floor((seconds + step / 2) / step) * step - seconds;
};

const instant = (seconds: number): string => Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString();

/**
 * Leaves an open proposal for each of the works, and no other.
 * Decided and signed ones stay, and are not repeated. An open one whose work is gone takes another work.
 */
const replaceProposals = async (
  assignmentId: number,
  works: readonly WorkedTimes[],
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  const made = await kysely
    .selectFrom('work_time_proposals')
    .select(['id', 'status', 'signed_at', ...timeNames])
    .where('assignment_id', '=', assignmentId)
    .where('source', '=', FROM_CHECKINS)
    .orderBy('id')
    .execute();
  const isOf = (proposal: WorkedTimes, times: WorkedTimes) => timeNames.every(name => proposal[name] === times[name]);
  const missing = works.filter(times => !made.some(proposal => isOf(proposal, times)));
  const free = made
    .filter(({ status, signed_at }) => status === OPEN && signed_at === null)
    .filter(proposal => !works.some(times => isOf(proposal, times)));
  for (const times of missing) {
    const id = free.shift()?.id;
    if (id !== undefined)
      await kysely
        .updateTable('work_time_proposals')
        .set({ ...times, updated_at: now })
        .where('id', '=', id)
        .execute();
    else {
      const added = { id: await newId(transaction, 'work_time_proposals'), assignment_id: assignmentId };
      const values = { ...added, ...times, source: FROM_CHECKINS };
      await kysely.insertInto('work_time_proposals').values(values).execute();
    }
  }
  const superfluous = free.map(({ id }) => id);
  if (superfluous.length > 0) await kysely.deleteFrom('work_time_proposals').where('id', 'in', superfluous).execute();
};
