import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import type { Values } from '../../engine/body.ts';
import type { Change } from '../../engine/rules.ts';
import { isBooked } from '../staffing/transition.ts';

/** The tables of moments that mark an assignment's start, breaks and end. */
export type StampTable = 'checkins' | 'livestamps';

/** What the order of stamps depends on of an assignment, which was locked before the stamp itself; null: there is none. */
export const stampedAssignment = async (id: number, { kysely }: Transaction) => {
  const row = await kysely
    .selectFrom('assignments_view')
    .select(['status', 'start', 'end', 'configurations'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
};

interface Stamp {
  readonly id: number;
  readonly type: number;
  readonly timestamp: string;
}

const stampsOf = (table: StampTable, assignmentId: number, { kysely }: Transaction): Promise<readonly Stamp[]> =>
  kysely
    .selectFrom(table)
    .select(['id', 'type', 'timestamp'])
    .where('assignment_id', '=', assignmentId)
    .orderBy('timestamp')
    .execute();

/** The id of the stamp that a create would only repeat; null: it is new. */
export const findRepeated = async (
  table: StampTable,
  values: Values,
  transaction: Transaction,
): Promise<number | null> => {
  const stamps = await stampsOf(table, Number(values.assignment_id), transaction);
  return stamps.find(stamp => isSame(stamp, values))?.id ?? null;
};

const isSame = ({ type, timestamp }: Stamp, values: Values): boolean =>
  type === values.type && timestamp === values.timestamp;

/** Whether the write leaves type and time as they are, so that nothing that stands against them is looked at. */
export const keepsPlace = ({ before, after }: Change): boolean =>
  before !== null && after !== null && before.type === after.type && before.timestamp === after.timestamp;

/** What stands against a write in the order of an assignment's stamps, with it and without what it replaces or removes. */
export const orderErrors = async (
  table: StampTable,
  { before, after }: Change,
  status: number,
  transaction: Transaction,
): Promise<readonly FieldError[]> => {
  const all = await stampsOf(table, Number((after ?? before)?.assignment_id), transaction);
  const others = all.filter(({ id }) => id !== before?.id);
  if (!after) return isInOrder(others) ? [] : [fieldError('checkin_order', 'type', 'type: others rest on it.')];
  const field = before?.type === after.type ? 'timestamp' : 'type';
  if (!isBooked(status))
    return [fieldError('checkin_order', field, `${field}: the assignment is neither assigned nor confirmed.`)];
  if (others.some(other => isSame(other, after))) return [fieldError('duplicate_checkin', field)];
  const own = { id: 0, type: Number(after.type), timestamp: String(after.timestamp) };
  const ordered = [...others, own].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  return isInOrder(ordered) ? [] : [fieldError('checkin_order', field)];
};

/** Start, any number of breaks, end, each later than the one before; or as much of it as there is yet. */
const order = /^(1(23)*[24]?)?$/;

const isInOrder = (stamps: readonly Stamp[]): boolean =>
  stamps.every(({ timestamp }, index) => index === 0 || timestamp !== stamps[index - 1]?.timestamp) &&
  order.test(stamps.map(({ type }) => type).join(''));
