import { type Scope, storeEffectiveTimes } from '../../domain/staffing/effective-times.ts';
import { checkMoved, checkOrder, lockBooked, noteTimes } from '../../domain/staffing/moves.ts';
import type { Rules } from '../../engine/rules.ts';

/** An event's times move no one who is booked there into a collision. */
export const events: Rules = {
  lock: async ({ id, body }, transaction) => {
    if (id !== null && ['start', 'end'].some(name => Object.hasOwn(body, name)))
      await lockBooked(scope(id), transaction);
  },
  check: async ({ before, after }, transaction) => {
    if (before && after && moves(before, after)) await noteTimes(scope(Number(before.id)), transaction);
    return [];
  },
  follow: async ({ before, after }, transaction, call) => {
    if (!before || !after || !moves(before, after)) return;
    await storeEffectiveTimes(scope(Number(after.id)), transaction);
    await checkOrder(scope(Number(after.id)), transaction);
    await checkMoved(scope(Number(after.id)), transaction, call);
  },
};

const scope = (id: number): Scope => ({ field: 'event_id', id });

const moves = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): boolean =>
  before.start !== after.start || before.end !== after.end;
