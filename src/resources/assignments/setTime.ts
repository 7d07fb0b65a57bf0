import { resources } from '../../../generated/resources.ts';
import { isOn } from '../../core/call/switch.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import { parseInstant } from '../../core/time.ts';
import { now } from '../../db/now.ts';
import { prepare } from '../../db/prepared.ts';
import { storeEffectiveTimes } from '../../domain/staffing/effective-times.ts';
import { recordHistory } from '../../domain/staffing/record.ts';
import { lockSeats } from '../../domain/staffing/seats.ts';
import { judgeTimes } from '../../domain/staffing/transition.ts';
import { loadObstacles } from '../../domain/staffing/workers.ts';
import type { Action, ActionCall } from '../../engine/action.ts';
import { endWithRecord } from '../../engine/verb.ts';

type Times = ActionCall<'assignments_setTime'>['body'];

const names = ['start', 'end', 'break_start', 'break_end'] as const;
type Name = (typeof names)[number];

/** PUT /assignments/{id}/time: sets the assignment's own times, unless a booked assignment would collide. */
export const setTime: Action<'assignments_setTime'> = (call, db) =>
  db.transaction(async transaction => {
    const { id } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const { values, errors } = instants(call.body, call.principal.tenant.timeZone);
    if (errors.length > 0) throw validationFailed(errors);
    const { kysely } = transaction;
    const changing = transaction.defer(
      kysely
        .updateTable('assignments')
        .set({ ...values, updated_at: now })
        .where('id', '=', id)
        .where(({ eb, or }) =>
          or(Object.entries(values).map(([name, value]) => eb(name as Name, 'is distinct from', value))),
        )
        .returning('id'),
    );
    storeEffectiveTimes({ field: 'id', id }, transaction);
    const [[after]] = await transaction.run(timesOf({ id }));
    const [changed] = await changing;
    if (!after) throw new Error('An assignment does not exist although it is locked.');
    const moved = after.start !== seat.start || after.end !== seat.end;
    if (moved) await loadObstacles([seat.worker], [after], transaction);
    const verdict = judgeTimes({ ...seat, status: moved ? seat.status : null }, after, isOn(call.parameters, 'force'));
    const failures = [...verdict.errors, ...breakErrors(after)];
    if (failures.length > 0) throw validationFailed(failures);
    const { status } = seat;
    const entry = { assignment_id: id, action: 'time' as const, from_status: status, to_status: status };
    await recordHistory(
      changed.map(() => ({ ...entry, data: values, overridden: verdict.overridden })),
      call.principal.apiUser.id,
      transaction,
    );
    return endWithRecord(resources.assignments, id, call, transaction);
  });

const timesOf = prepare((db, { id }: { id: number }) =>
  db.selectFrom('assignments_view').select(names).where('id', '=', id),
);

const instants = (body: Times, timeZone: string) => {
  const values: Record<string, string | null> = {};
  const errors: FieldError[] = [];
  for (const name of names) {
    const text = body[name];
    if (text === undefined) continue;
    values[name] = text === null ? null : parseInstant(text, timeZone);
    if (text !== null && values[name] === null) errors.push(fieldError('invalid_format', name));
  }
  return { values, errors };
};

/** Returns the errors of a break that is not within the work. */
const breakErrors = (times: Readonly<Record<Name, string | null>>): FieldError[] => {
  const { start, end, break_start, break_end } = times;
  if (break_start !== null && break_end !== null && break_end <= break_start)
    return [fieldError('end_before_start', 'break_end')];
  const isOutside = (time: string | null): boolean =>
    time !== null && ((start !== null && time < start) || (end !== null && time > end));
  return (['break_start', 'break_end'] as const)
    .filter(name => isOutside(times[name]))
    .map(name => fieldError('out_of_range', name));
};
