import { type Scope, storeEffectiveTimes } from '../../domain/staffing/effective-times.ts';
import { type Booked, bookedIn, checkMoved, checkOrder, lockBooked } from '../../domain/staffing/moves.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/** A change of an event's times, or its return from the aborted ones, must not cause collisions of booked assignments. */
export const events: Rules<Booked> = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null && ['start', 'end', 'status'].some(name => Object.hasOwn(body, name)))
      await lockBooked(scope(id), transaction);
  },
  check: async ({ before, after }, transaction) => {
    const moved = before && after && (isMoved(before, after) || before.status !== after.status);
    return { errors: [], found: moved ? await bookedIn(scope(Number(before.id)), transaction) : undefined };
  },
  follow: async ({ before, after }, transaction, call, booked) => {
    if (!before || !after || !booked) return;
    await storeEffectiveTimes(scope(Number(after.id)), transaction);
    await checkOrder(scope(Number(after.id)), transaction);
    const field = isMoved(before, after) ? 'start' : 'status';
    await checkMoved(scope(Number(after.id)), booked, transaction, call, field);
  },
};

const scope = (id: number): Scope => ({ field: 'event_id', id });

const isMoved = (before: Values, after: Values): boolean => before.start !== after.start || before.end !== after.end;
