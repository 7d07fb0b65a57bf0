import { type Scope, storeEffectiveTimes } from '../../domain/staffing/effective-times.ts';
import { type Booked, bookedIn, checkMoved, checkOrder, lockBooked } from '../../domain/staffing/moves.ts';
import type { Rules } from '../../engine/rules.ts';

/** A change of an event's times must not cause collisions of booked assignments. */
export const events: Rules<Booked> = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null && ['start', 'end'].some(name => Object.hasOwn(body, name)))
      await lockBooked(scope(id), transaction);
  },
  check: async ({ before, after }, transaction) => {
    const moved = before && after && moves(before, after);
    return { errors: [], found: moved ? await bookedIn(scope(Number(before.id)), transaction) : undefined };
  },
  follow: async ({ after }, transaction, call, booked) => {
    if (!after || !booked) return;
    await storeEffectiveTimes(scope(Number(after.id)), transaction);
    await checkOrder(scope(Number(after.id)), transaction);
    await checkMoved(scope(Number(after.id)), booked, transaction, call);
  },
};

const scope = (id: number): Scope => ({ field: 'event_id', id });

const moves = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean =>
  before.start !== after.start || before.end !== after.end;
