import { Temporal } from 'temporal-polyfill';
import { announce } from '../automations/announce.ts';
import type { Transaction } from '../db/database.ts';
import { fieldError } from '../errors.ts';
import type { Values } from '../resource/body.ts';
import type { Rules } from '../resource/rules.ts';
import { findRepeated, keepsTime, lockAssignment, orderErrors } from '../staffing/stamps.ts';

/** Check-ins come in order and, from the apps, in time; one that comes again is the one that is there. */
export const checkins: Rules = {
  known: (values, transaction) => findRepeated('checkins', values, transaction),
  check: async (change, transaction) => {
    if (keepsTime(change)) return [];
    const { before, after } = change;
    const assignment = await lockAssignment(Number((after ?? before)?.assignment_id), transaction);
    if (!assignment) return [];
    const errors = [...(await orderErrors('checkins', change, assignment.status, transaction))];
    if (after?.source === FROM_APP && !isInWindow(String(after.timestamp), assignment))
      errors.push(fieldError('outside_checkin_window', 'timestamp'));
    return errors;
  },
  follow: async ({ before, after }, transaction) => {
    if (!before && after) await announce('checkin.created', () => told(after, transaction), transaction);
  },
};

/** The check-in as automations are told of it. */
const told = async (checkin: Values, { kysely }: Transaction) => {
  const { id, assignment_id, type, source, timestamp } = checkin;
  const { employee_id, event_function_id, event_id } = await kysely
    .selectFrom('assignments_view')
    .select(['employee_id', 'event_function_id', 'event_id'])
    .where('id', '=', Number(assignment_id))
    .executeTakeFirstOrThrow();
  const subjects = {
    checkin_id: id ?? null,
    assignment_id: assignment_id ?? null,
    employee_id,
    event_function_id,
    event_id,
  };
  return [{ ...subjects, type: type ?? null, source: source ?? null, timestamp: timestamp ?? null }];
};

const FROM_APP = 1;

interface Windowed {
  readonly start: string | null;
  readonly end: string | null;
  readonly configurations: unknown;
}

/** Both ends belong to the window. */
const isInWindow = (timestamp: string, { start, end, configurations }: Windowed): boolean => {
  const { checkins: window } = configurations as { checkins: { minutes_before: number; minutes_after: number } };
  const early = start !== null && seconds(start) - seconds(timestamp) > window.minutes_before * 60;
  const late = end !== null && seconds(timestamp) - seconds(end) > window.minutes_after * 60;
  return !early && !late;
};

const seconds = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / 1000;
