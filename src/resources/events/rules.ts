import type { Json } from '../../core/call/reply.ts';
import { changesContact, checkEventContacts } from '../../domain/staffing/contacts.ts';
import { projectValues, touchAssignments } from '../../domain/staffing/heirs.ts';
import { holdProjects } from '../../domain/staffing/locks.ts';
import { checkChangedTimes, checkOrder, lockBooked } from '../../domain/staffing/times/changed.ts';
import {
  changedTimes,
  storeEffectiveTimes,
  type TimesOwner,
  timeNames,
  touchFunctions,
} from '../../domain/staffing/times/effective.ts';
import { selectTimed, type Timed } from '../../domain/staffing/times/judged.ts';
import type { Values } from '../../engine/body.ts';
import type { Rules } from '../../engine/rules.ts';

/**
 * New times of an event or its return from the aborted ones must not cause collisions.
 * Nor may they leave open work behind. Its contact belongs to its client.
 */
export const events: Rules<readonly Timed[]> = {
  independent: true,
  lock: async ({ id, body }, transaction) => {
    if (id === null || [...projectValues, 'project_id', 'project'].some(name => Object.hasOwn(body, name)))
      await holdProjects(isId(body.project_id) ? [body.project_id] : [], id, transaction);
    if (id !== null && [...timeNames, 'status'].some(name => Object.hasOwn(body, name)))
      await lockBooked(scope(id), transaction);
  },
  check: async ({ before, after }, transaction) => {
    const moved = before && after && (isMoved(before, after) || before.status !== after.status);
    return {
      errors: [],
      found: moved ? await selectTimed(scope(Number(before.id)), transaction).execute() : undefined,
    };
  },
  follow: async ({ before, after }, transaction, call, timed) => {
    if (!after) return;
    const id = Number(after.id);
    const isMovedTo = before?.project_id !== after.project_id;
    // Of a project given by its external id, the id is known only now.
    if (isMovedTo) await holdProjects([Number(after.project_id)], null, transaction);
    if (changesContact(before, after)) await checkEventContacts({ field: 'id', id }, 'contact_id', transaction);
    if (!before) return;
    const changed = changedTimes(before, after);
    if (changed.length > 0 || timed) {
      await touchFunctions(id, changed, transaction);
      storeEffectiveTimes(scope(id), transaction, changed, before);
    }
    await touchAssignments('events', before, after, transaction);
    if (!timed) return;
    await checkOrder(scope(id), transaction);
    await checkChangedTimes(scope(id), timed, transaction, call, isMoved(before, after) ? undefined : 'status');
  },
};

const scope = (id: number): TimesOwner => ({ field: 'event_id', id });

const isMoved = (before: Values, after: Values): boolean => before.start !== after.start || before.end !== after.end;

const isId = (value: Json | undefined): value is number => Number.isSafeInteger(value);
