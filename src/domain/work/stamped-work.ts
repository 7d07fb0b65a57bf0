import { Temporal } from 'temporal-polyfill';
import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { now } from '../../db/now.ts';
import { parsedConfigurations } from '../staffing/configurations.ts';
import { frozen, isBooked } from '../staffing/transition.ts';
import { OPEN } from './decide.ts';
import { distanceErrors } from './plausible.ts';
import { type Stamp, stampsOf } from './stamps.ts';
import { timesErrors } from './times.ts';
import type { Times } from './worked.ts';

/** The source of proposals that check-ins made. */
const FROM_CHECKINS = 3;
const [BREAK_START, BREAK_END, END] = [2, 3, 4];

/**
 * Brings the open proposal that an assignment's check-ins made in line with them, if its configurations say so. Call it
 * after each change of a check-in, with the assignment locked.
 */
export const proposeStampedWork = async (
  assignmentId: number,
  timeZone: string,
  transaction: Transaction,
): Promise<void> => {
  const { kysely } = transaction;
  const assignment = await kysely
    .selectFrom('assignments_view')
    .select(['status', 'start', 'end', 'is_approved', 'paid_on', parsedConfigurations])
    .where('id', '=', assignmentId)
    .executeTakeFirst();
  const { from_checkins, round_minutes = 1 } = assignment?.configurations.work_time_proposals ?? {};
  if (!assignment || from_checkins !== 1 || !isBooked(assignment.status)) return;
  if (frozen({ is_approved: assignment.is_approved, is_paid: assignment.paid_on !== null }).length > 0) return;
  const stamped = workOf(await stampsOf('checkins', assignmentId, transaction), round_minutes, timeZone);
  const isValid = stamped !== null && timesErrors(stamped).length + distanceErrors(assignment, stamped).length === 0;
  await replaceProposal(assignmentId, isValid ? stamped : null, transaction);
};

/**
 * Returns the work of stamps in their order, each rounded; null without an end, or if nothing is left. Several breaks
 * become one, from the start of the first, as long as all together.
 */
export const workOf = (stamps: readonly Stamp[], minutes: number, timeZone: string): Times | null => {
  const [first, last] = [stamps[0], stamps.at(-1)];
  if (!first || last?.type !== END) return null;
  const rounded = (stamp: Stamp): number => roundedSeconds(stamp.timestamp, minutes, timeZone);
  if (rounded(last) <= rounded(first)) return null;
  const pauses = stamps
    .flatMap((stamp, index) => {
      const next = stamps[index + 1];
      return stamp.type === BREAK_START && next?.type === BREAK_END
        ? [{ from: rounded(stamp), to: rounded(next) }]
        : [];
    })
    .filter(({ from, to }) => from < to);
  const pause = pauses.reduce((sum, { from, to }) => sum + to - from, 0);
  const from = pauses[0]?.from;
  return {
    start: instant(rounded(first)),
    end: instant(rounded(last)),
    break_start: from === undefined ? null : instant(from),
    break_end: from === undefined ? null : instant(from + pause),
  };
};

/** Returns the nearest multiple of the minutes in local time, half up, in seconds since 1970. */
const roundedSeconds = (timestamp: string, minutes: number, timeZone: string): number => {
  const zoned = Temporal.Instant.from(timestamp).toZonedDateTimeISO(timeZone);
  const step = minutes * 60;
  const seconds = zoned.hour * 3600 + zoned.minute * 60 + zoned.second;
  return zoned.epochMilliseconds / 1000 + Math.floor((seconds + step / 2) / step) * step - seconds;
};

const instant = (seconds: number): string => Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString();

const names = ['start', 'end', 'break_start', 'break_end'] as const;

/** Leaves one open proposal with the times, or none; decided and signed ones stay, and are not repeated. */
const replaceProposal = async (assignmentId: number, times: Times | null, transaction: Transaction): Promise<void> => {
  const { kysely } = transaction;
  const made = await kysely
    .selectFrom('work_time_proposals')
    .select(['id', 'status', 'signed_at', ...names])
    .where('assignment_id', '=', assignmentId)
    .where('source', '=', FROM_CHECKINS)
    .orderBy('id')
    .execute();
  const same = made.find(proposal => times && names.every(name => proposal[name] === times[name]));
  const open = made.filter(({ status, signed_at }) => status === OPEN && signed_at === null);
  const kept = times && (same ?? open[0]);
  const superfluous = open.filter(proposal => proposal !== kept).map(({ id }) => id);
  if (superfluous.length > 0) await kysely.deleteFrom('work_time_proposals').where('id', 'in', superfluous).execute();
  if (!times || same) return;
  if (kept)
    await kysely
      .updateTable('work_time_proposals')
      .set({ ...times, updated_at: now })
      .where('id', '=', kept.id)
      .execute();
  else
    await kysely
      .insertInto('work_time_proposals')
      .values({
        id: await newId(transaction, 'work_time_proposals'),
        assignment_id: assignmentId,
        ...times,
        source: FROM_CHECKINS,
      })
      .execute();
};
