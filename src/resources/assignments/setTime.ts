import { resources } from '../../../generated/resources.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { now } from '../../db/now.ts';
import { prepare } from '../../db/prepared.ts';
import { judgedAs } from '../../domain/rules/rulebook.ts';
import { warnOfBreaches } from '../../domain/rules/warn.ts';
import { none, verdictOn } from '../../domain/staffing/checks.ts';
import { entryOf, recordHistory } from '../../domain/staffing/history.ts';
import { followInherited } from '../../domain/staffing/inherited.ts';
import { lockSeats } from '../../domain/staffing/locked-staffing.ts';
import { storeEffectiveTimes, type TimeName, timeNames } from '../../domain/staffing/times/effective.ts';
import { judgeTimes, selectTimed } from '../../domain/staffing/times/judged.ts';
import { frozen } from '../../domain/staffing/transition.ts';
import type { Action, ActionCall } from '../../engine/action.ts';
import { checkInstant } from '../../engine/value.ts';
import { endWithRecord } from '../../engine/verb.ts';

type GivenTimes = ActionCall<'assignments_setTime'>['body'];

/** PUT /assignments/{id}/time: sets the assignment's own times, if nothing collides or is left behind. */
export const setTime: Action<'assignments_setTime'> = (call, db) =>
  db.transaction(async transaction => {
    const { id } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const { kysely } = transaction;
    const values = await instantsOf(call, transaction);
    const told = followInherited([id], transaction);
    const changing = transaction.defer(
      kysely
        .updateTable('assignments')
        .set({ ...values, updated_at: now })
        .where('id', '=', id)
        .where(({ eb, or }) =>
          or(Object.entries(values).map(([name, value]) => eb(name as TimeName, 'is distinct from', value))),
        )
        .returning('id'),
    );
    storeEffectiveTimes({ field: 'id', id }, transaction);
    told();
    const [[after], [timed]] = await transaction.run(timesOf({ id }), selectTimed({ field: 'id', id }, transaction));
    const [changed] = await changing;
    if (!after) throw new Error('An assignment does not exist although it is locked.');
    const fixed = frozen(seat, 'start');
    const wrong = fixed.length > 0 ? fixed : orderErrors(after);
    const { rulebook, force, apiUserId } = judgedAs(call);
    const found = wrong.length === 0 ? await judgeTimes(seat, timed, rulebook, transaction) : none;
    const verdict = verdictOn(found, force);
    const failures = [...wrong, ...verdict.errors, ...breakErrors(after)];
    if (failures.length > 0) throw validationFailed(failures);
    const entries = changed.map(() => entryOf(seat, 'time', values, verdict));
    await recordHistory(entries, apiUserId, transaction);
    warnOfBreaches(verdict.warned, call.principal.apiUser, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

const timesOf = prepare((db, { id }: { id: number }) =>
  db.selectFrom('assignments_view').select(timeNames).select(['own_break_start', 'own_break_end']).where('id', '=', id),
);

/** Returns the body's times. @throws ApiError validation_failed (422) unless a wrong one is unchanged */
const instantsOf = async (
  { id, body, principal }: ActionCall<'assignments_setTime'>,
  transaction: Transaction,
): Promise<Readonly<Record<string, string | null>>> => {
  const { timeZone } = principal.tenant;
  const { values, errors } = instants(body, timeZone, {});
  if (errors.length === 0) return values;
  const [[stored = {}]] = await transaction.run(timesOf({ id }));
  const again = instants(body, timeZone, stored);
  if (again.errors.length > 0) throw validationFailed(again.errors);
  return again.values;
};

const instants = (body: GivenTimes, timeZone: string, stored: Partial<Readonly<Record<TimeName, string | null>>>) => {
  const values: Record<string, string | null> = {};
  const errors: FieldError[] = [];
  for (const name of timeNames) {
    const text = body[name];
    if (text === undefined) continue;
    const checked = text === null ? { value: null } : checkInstant({ name }, text, timeZone, stored[name]);
    if ('errors' in checked) errors.push(...checked.errors);
    else values[name] = checked.value as string | null;
  }
  return { values, errors };
};

const orderErrors = ({ start, end }: Readonly<Record<TimeName, string | null>>): FieldError[] =>
  start !== null && end !== null && end <= start ? [fieldError('end_before_start', 'end')] : [];

/**
 * Returns the errors of a break of its own that is not within the work.
 * An inherited one can't be removed.
 */
const breakErrors = (times: ShownTimes): FieldError[] => {
  const { start, end, break_start, break_end, own_break_start: ownStart, own_break_end: ownEnd } = times;
  if (ownStart === null && ownEnd === null) return [];
  if (break_start !== null && break_end !== null && break_end <= break_start)
    return [fieldError('end_before_start', 'break_end')];
  const isOutside = (time: string | null): boolean =>
    time !== null && ((start !== null && time < start) || (end !== null && time > end));
  const own = { break_start: ownStart, break_end: ownEnd };
  return (['break_start', 'break_end'] as const)
    .filter(name => isOutside(own[name]))
    .map(name => fieldError('out_of_range', name));
};

type ShownTimes = Readonly<Record<TimeName | 'own_break_start' | 'own_break_end', string | null>>;
