import { Temporal } from 'temporal-polyfill';
import { announce } from '../automations/announce.ts';
import type { Transaction } from '../db/database.ts';
import { fieldError } from '../errors.ts';
import type { Values } from '../resource/body.ts';
import type { Rules } from '../resource/rules.ts';
import { isBooked } from '../staffing/transition.ts';

/** Check-ins come in order and, from the apps, in time; one that comes again is the one that is there. */
export const checkins: Rules = {
  known: async (values, transaction) => {
    await lockAssignment(Number(values.assignment_id), transaction);
    const row = await transaction.kysely
      .selectFrom('checkins')
      .select('id')
      .where('assignment_id', '=', Number(values.assignment_id))
      .where('type', '=', Number(values.type))
      .where('timestamp', '=', String(values.timestamp))
      .executeTakeFirst();
    return row?.id ?? null;
  },
  check: async ({ before, after }, transaction) => {
    if (!after || (before && before.timestamp === after.timestamp)) return [];
    const assignment = await lockAssignment(Number(after.assignment_id), transaction);
    if (!assignment) return [];
    const errors = [];
    if (!isBooked(assignment.status) || !(await isInOrder(before, after, transaction)))
      errors.push(fieldError('checkin_order', before ? 'timestamp' : 'type'));
    if (after.source === FROM_APP && !isInWindow(String(after.timestamp), assignment))
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

const lockAssignment = async (id: number, { kysely }: Transaction) => {
  await kysely.selectFrom('assignments').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  return kysely
    .selectFrom('assignments_view')
    .select(['status', 'start', 'end', 'configurations'])
    .where('id', '=', id)
    .executeTakeFirst();
};

/** Start, any number of breaks, end, each later than the one before. */
const order = /^1(23)*[24]?$/;

const isInOrder = async (before: Values | null, after: Values, { kysely }: Transaction): Promise<boolean> => {
  const others = await kysely
    .selectFrom('checkins')
    .select(['id', 'type', 'timestamp'])
    .where('assignment_id', '=', Number(after.assignment_id))
    .execute();
  const own = { id: 0, type: Number(after.type), timestamp: String(after.timestamp) };
  const all = [...others.filter(({ id }) => id !== before?.id), own].sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : 1,
  );
  const rises = all.every(({ timestamp }, index) => index === 0 || timestamp !== all[index - 1]?.timestamp);
  return rises && order.test(all.map(({ type }) => type).join(''));
};

interface Windowed {
  readonly start: string | null;
  readonly end: string | null;
  readonly configurations: unknown;
}

const isInWindow = (timestamp: string, { start, end, configurations }: Windowed): boolean => {
  const { checkins: window } = configurations as { checkins: { minutes_before: number; minutes_after: number } };
  const early = start !== null && seconds(start) - seconds(timestamp) > window.minutes_before * 60;
  const late = end !== null && seconds(timestamp) - seconds(end) > window.minutes_after * 60;
  return !early && !late;
};

const seconds = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds / 1000;
