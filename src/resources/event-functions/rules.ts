import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import type { Call } from '../../core/call/call.ts';
import { invalidField, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { touchAssignments } from '../../domain/staffing/heirs.ts';
import { lockEvents } from '../../domain/staffing/locks.ts';
import { checkChangedTimes, checkOrder, lockBooked } from '../../domain/staffing/times/changed.ts';
import {
  changedTimes,
  storeEffectiveTimes,
  type TimesOwner,
  timeNames,
} from '../../domain/staffing/times/effective.ts';
import { selectTimed, type Timed } from '../../domain/staffing/times/judged.ts';
import { selectRecorded } from '../../domain/work/recorded.ts';
import { orderErrors, type Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * Updates the event's numbers of places and filled places.
 * A change of times must not cause collisions nor leave open work behind.
 */
export const eventFunctions: Rules<readonly Timed[]> = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null && ['start', 'end', 'event_id'].some(name => Object.hasOwn(body, name)))
      await lockBooked(scope(id), transaction);
  },
  check: async ({ before, after }, transaction) => {
    const moved = before && after && moves(before, after);
    return {
      errors: [],
      found: moved ? await selectTimed(scope(Number(before.id)), transaction).execute() : undefined,
    };
  },
  follow: async ({ before, after }, transaction, call, timed) => {
    if (after && !before) await checkOrder(scope(Number(after.id)), transaction);
    const changed = before && after ? changedTimes(before, after) : [];
    if (before && after && changed.length > 0) {
      await lockEvents([Number(before.event_id), Number(after.event_id)], transaction);
      storeEffectiveTimes(scope(Number(after.id)), transaction, changed, before);
      if (before.event_id !== after.event_id) await requireUnrecorded(Number(after.id), transaction);
    }
    if (after && timed) {
      await checkOrder(scope(Number(after.id)), transaction);
      await checkChangedTimes(scope(Number(after.id)), timed, transaction, call);
    }
    if (after && (before ? changed.length > 0 : (after.break_start ?? after.break_end) != null))
      await checkBreak(Number(after.id), transaction, call);
    if (!before || !after || before.event_id !== after.event_id || before.quantity !== after.quantity) {
      await add(before, -1, transaction);
      await add(after, 1, transaction);
    }
    if (before && after) await touchAssignments('event-functions', before, after, transaction);
  },
};

const scope = (id: number): TimesOwner => ({ field: 'event_function_id', id });

const moves = (before: Values, after: Values): boolean =>
  before.start !== after.start || before.end !== after.end || before.event_id !== after.event_id;

/** @throws ApiError validation_failed (422) if a break of its own is outside of the work it shows */
const checkBreak = async (id: number, { kysely }: Transaction, { fields }: Call): Promise<void> => {
  const row = await kysely
    .selectFrom('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .select(['f.break_start', 'f.break_end'])
    .select(({ fn }) => timeNames.map(name => fn.coalesce(`f.${name}`, `e.${name}`).as(`shown_${name}`)))
    .where('f.id', '=', id)
    .executeTakeFirst();
  const { break_start = null, break_end = null } = row ?? {};
  const written = Object.fromEntries(Object.entries({ break_start, break_end }).filter(([, time]) => time !== null));
  const shown = Object.fromEntries(timeNames.map(name => [name, row?.[`shown_${name}`] ?? null]));
  const errors = orderErrors(fields.get(resources['event-functions']), written, shown, new Set(timeNames));
  if (errors.length > 0) throw validationFailed(errors);
};

/** @throws ApiError validation_failed (422) if a locked assignment has recorded work */
const requireUnrecorded = async (id: number, transaction: Transaction): Promise<void> => {
  const [found] = await selectRecorded(scope(id), transaction).execute();
  if (found) throw invalidField('work_recorded', 'event_id', undefined, { assignment_id: found.id });
};

/** New and deleted functions have no assignments; moving one moves its filled places. */
const add = async (eventFunction: Values | null, sign: 1 | -1, transaction: Transaction): Promise<void> => {
  if (!eventFunction) return;
  const row = await transaction.kysely
    .selectFrom('event_functions')
    .select('holding')
    .where('id', '=', Number(eventFunction.id))
    .executeTakeFirst();
  await transaction.kysely
    .updateTable('events')
    .set({
      quantity: sql<number>`quantity + ${sign * Number(eventFunction.quantity)}`,
      holding: sql<number>`holding + ${sign * (row?.holding ?? 0)}`,
    })
    .where('id', '=', Number(eventFunction.event_id))
    .execute();
};
