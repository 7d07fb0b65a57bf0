import { fieldError } from '../../core/errors.ts';
import { secondsOf } from '../../core/time.ts';
import { foreseeTrigger } from '../../domain/occurrences/trigger.ts';
import { triggerOnCheckin } from '../../domain/occurrences/trigger-checkin.ts';
import { recordActivity } from '../../domain/staffing/active.ts';
import { lockAround } from '../../domain/work/lock.ts';
import { proposeStampedWork } from '../../domain/work/stamped-work.ts';
import { findRepeated, keepsPlace, orderErrors, stampedAssignment } from '../../domain/work/stamps.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * Check-ins are in order and, from the apps, within the time window.
 * A repeated one returns the existing record. They make a work time proposal if the configurations say so.
 */
export const checkins: Rules = {
  lock: lockAround('checkins'),
  known: (values, transaction) => findRepeated('checkins', values, transaction),
  check: async (change, transaction) => {
    if (keepsPlace(change)) return { errors: [] };
    const { before, after } = change;
    if (!before) foreseeTrigger('checkin.created', transaction);
    const assignment = await stampedAssignment('checkins', Number((after ?? before)?.assignment_id), transaction);
    if (!assignment) return { errors: [] };
    const errors = [...orderErrors(change, assignment)];
    if (after?.source === FROM_APP && !isInWindow(String(after.timestamp), assignment))
      errors.push(fieldError('outside_checkin_window', 'timestamp'));
    return { errors };
  },
  follow: async ({ before, after }, transaction, call) => {
    const assignmentId = Number((after ?? before)?.assignment_id);
    await proposeStampedWork(assignmentId, call.principal.tenant.timeZone, transaction);
    if (before || !after) return;
    await triggerOnCheckin(after, transaction);
    recordActivity([assignmentId], transaction);
  },
};

const FROM_APP = 1;

interface Windowed {
  readonly start: string | null;
  readonly end: string | null;
  readonly configurations: unknown;
}

/** Returns whether the time is in the window, bounds included. */
const isInWindow = (timestamp: string, { start, end, configurations }: Windowed): boolean => {
  const { checkins: window } = configurations as { checkins: { minutes_before: number; minutes_after: number } };
  const early = start !== null && secondsOf(start) - secondsOf(timestamp) > window.minutes_before * 60;
  const late = end !== null && secondsOf(timestamp) - secondsOf(end) > window.minutes_after * 60;
  return !early && !late;
};
