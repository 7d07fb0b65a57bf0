import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { prepare } from '../../db/prepared.ts';
import type { Values } from '../../engine/body.ts';
import type { RecordChange } from '../../engine/rules.ts';
import { parsedConfigurations } from '../staffing/configurations.ts';
import { isBooked } from '../staffing/transition.ts';

/** The tables of stamps: the times of an assignment's start, breaks and end. */
export type StampTable = 'checkins' | 'livestamps';

/** One stamp of an assignment. */
export interface Stamp {
  readonly id: number;
  readonly type: number;
  readonly timestamp: string;
}

const stampsIn = (table: StampTable) =>
  prepare((db, { id }: { id: number }) =>
    db.selectFrom(table).select(['id', 'type', 'timestamp']).where('assignment_id', '=', id).orderBy('timestamp'),
  );
const readingStamps = { checkins: stampsIn('checkins'), livestamps: stampsIn('livestamps') };

const readingAssignment = prepare((db, { id }: { id: number }) =>
  db.selectFrom('assignments_view').select(['status', 'start', 'end', parsedConfigurations]).where('id', '=', id),
);

/** Returns the stamps of an assignment in the order of time. */
export const stampsOf = async (
  table: StampTable,
  assignmentId: number,
  transaction: Transaction,
): Promise<readonly Stamp[]> => {
  const [stamps] = await transaction.run(readingStamps[table]({ id: assignmentId }));
  return stamps;
};

/** Returns an assignment locked before the stamp, with its settings and stamps; null: none. */
export const stampedAssignment = async (table: StampTable, id: number, transaction: Transaction) => {
  const [[assignment], stamps] = await transaction.run(readingAssignment({ id }), readingStamps[table]({ id }));
  return assignment ? { ...assignment, stamps } : null;
};

/** Returns the id of the stamp that a create would duplicate; null if there is none. */
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

/** Returns whether the write keeps type and time, so that their order need not be checked. */
export const keepsPlace = ({ before, after }: RecordChange): boolean =>
  before !== null && after !== null && before.type === after.type && before.timestamp === after.timestamp;

/**
 * Returns the errors of the order that an assignment's stamps would have after the write.
 * See docs/decisions.md, "Check-ins and work".
 */
export const orderErrors = (
  { before, after }: RecordChange,
  { status, stamps }: { readonly status: number; readonly stamps: readonly Stamp[] },
): readonly FieldError[] => {
  const others = stamps.filter(({ id }) => id !== before?.id);
  if (!after)
    return isInOrder(others) ? [] : [fieldError('checkin_order', 'type', 'type: later stamps depend on this one.')];
  const field = before?.type === after.type ? 'timestamp' : 'type';
  if (!isBooked(status))
    return [fieldError('checkin_order', field, `${field}: the assignment is neither assigned nor confirmed.`)];
  if (others.some(other => isSame(other, after))) return [fieldError('duplicate_checkin', field)];
  const own = { id: 0, type: Number(after.type), timestamp: String(after.timestamp) };
  const ordered = [...others, own].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  return isInOrder(ordered) ? [] : [fieldError('checkin_order', field)];
};

/** Start, any number of breaks, end; incomplete sequences are valid. */
const order = /^(1(23)*[24]?)?$/;

const isInOrder = (stamps: readonly Stamp[]): boolean =>
  stamps.every(({ timestamp }, index) => index === 0 || timestamp !== stamps[index - 1]?.timestamp) &&
  order.test(stamps.map(({ type }) => type).join(''));
