import { type SqlBool, sql } from 'kysely';
import { assignmentBooked, eventAborted } from '../../../generated/status-sets.ts';
import type { Call } from '../../core/call/call.ts';
import { isOn } from '../../core/call/switch.ts';
import { type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { warn } from '../../engine/writing/warnings.ts';
import { moving } from '../rules/employee-work.ts';
import type { Breach } from '../rules/judge.ts';
import { type Rulebook, rulebookOf } from '../rules/rulebook.ts';
import type { Span } from '../time/span.ts';
import { OPEN } from '../work/decide.ts';
import { leftErrors } from '../work/plausible.ts';
import {
  breachesOf,
  judgedBreaches,
  none,
  type Obstacles,
  obstacles,
  together,
  verdictOn,
  type Worker,
  withBreaches,
} from './checks.ts';
import { functionsOf, owners, type TimesOwner } from './effective-times.ts';
import { recordHistory } from './history.ts';
import { lockEmployees, lockFunctions } from './locks.ts';
import type { Seat } from './transition.ts';
import { loadObstacles } from './workers.ts';

/**
 * Selects the assignments of the scope whose times something depends on, with their effective times.
 * Those that book their employee (`books`; none of an aborted event does), and those with open work, which is from `first` to
 * `last`.
 */
export const selectTimed = ({ field, id }: TimesOwner, { kysely }: Transaction) => {
  const books = sql<SqlBool>`(a.status in (${sql.join(assignmentBooked)}) and e.status not in (${sql.join(eventAborted)}))`;
  return kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .leftJoinLateral(
      query =>
        query
          .selectFrom(
            query
              .selectFrom('work_times as t')
              .select(['t.start', 't.end'])
              .whereRef('t.event_function_employee_id', '=', 'a.id')
              .where('t.is_approved', '=', false)
              .unionAll(
                query
                  .selectFrom('work_time_proposals as p')
                  .select(['p.start', 'p.end'])
                  .whereRef('p.assignment_id', '=', 'a.id')
                  .where('p.status', '=', OPEN),
              )
              .as('u'),
          )
          .select(({ fn }) => [fn.min<string | null>('u.start').as('first'), fn.max<string | null>('u.end').as('last')])
          .as('w'),
      join => join.onTrue(),
    )
    .select(['a.id', 'a.employee_id', 'a.status', 'a.effective_start as start', 'a.effective_end as end'])
    .select([
      sql<string | null>`coalesce(a.break_start, f.break_start, e.break_start)`.as('break_start'),
      sql<string | null>`coalesce(a.break_end, f.break_end, e.break_end)`.as('break_end'),
    ])
    .select(['f.required_qualifications', 'w.first', 'w.last', sql<boolean>`${books}`.as('books')])
    .where(owners[field], '=', id)
    .where(({ eb, or }) => or([books, eb('w.first', 'is not', null)]))
    .orderBy('a.id');
};

/** An assignment whose times something depends on. */
export type Timed = Awaited<ReturnType<ReturnType<typeof selectTimed>['execute']>>[number];

/**
 * Returns what stands against the times that a locked assignment has got.
 * Against its employee, if it books one, and open work that they leave behind. Nothing if they are those of before.
 * @param seat the assignment before
 * @param timed the assignment after; undefined: nothing depends on its times
 * @param field the field that errors are reported on; default: the time that each of them concerns
 */
export const judgeTimes = async (
  seat: Seat,
  timed: Timed | undefined,
  rulebook: Rulebook,
  transaction: Transaction,
  field?: string,
): Promise<Obstacles> => {
  if (!timed || !isMoved(seat, timed)) return none;
  const { worker } = seat;
  if (timed.books) await loadObstacles([worker], [timed], rulebook, transaction);
  const breaches = timed.books ? breachesOf(worker, work => moving(work, new Map([[timed.id, seat]]))) : [];
  const errors = timeErrors(timed, worker, field);
  return together({ ...none, errors }, judgedBreaches(worker, breaches, field ?? 'start'));
};

const timeErrors = (timed: Timed, worker: Worker | undefined, field?: string): readonly FieldError[] => [
  ...(timed.books && worker
    ? obstacles(worker, timed, timed.required_qualifications as number[], timed.id, field ?? 'start')
    : []),
  ...leftErrors(timed, { start: timed.first, end: timed.last }, field),
];

const isMoved = (before: Span | undefined, { start, end }: Span): boolean =>
  before?.start !== start || before.end !== end;

/**
 * Locks the booked employees of an event or event function, and the functions of an event.
 * Aborted events count, too. Call it before locking the record itself: the order of `staffingLocks`.
 */
export const lockBooked = async ({ field, id }: TimesOwner, transaction: Transaction): Promise<void> => {
  const booked = await transaction.kysely
    .selectFrom('assignments_view')
    .select('employee_id')
    .where(field, '=', id)
    .where('status', 'in', assignmentBooked)
    .execute();
  await lockEmployees(
    booked.map(({ employee_id }) => employee_id),
    transaction,
  );
  if (field === 'event_id') await lockFunctions(await functionsOf(id, transaction), transaction);
};

/**
 * Rejects a write after which an event function or assignment would end before it starts.
 * It has one time of its own and inherits the other. Call it after the write.
 * @throws ApiError validation_failed (422)
 */
export const checkOrder = async ({ field, id }: TimesOwner, { kysely }: Transaction): Promise<void> => {
  const places = await kysely
    .selectFrom('event_functions_view')
    .select('id')
    .where(field === 'event_id' ? 'event_id' : 'id', '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .execute();
  const seats = await kysely
    .selectFrom('assignments_view')
    .select('id')
    .where(field, '=', id)
    .whereRef('end', '<=', 'start')
    .limit(1)
    .execute();
  const [seat] = seats;
  if (places.length === 0 && !seat) return;
  throw validationFailed([
    fieldError('end_before_start', 'end', undefined, places.length === 0 && seat ? { assignment_id: seat.id } : {}),
  ]);
};

/**
 * Rejects a write that moves assignments to unworkable times or away from their open work.
 * Not if it is forced. Call it after the write and `storeEffectiveTimes`, which locks them. See docs/decisions.md, "Bookings and
 * places".
 * @param before the assignments before the write; one that only now books its employee counts as moved
 * @param field the field that the errors are reported on; default: the time that each of them concerns
 * @throws ApiError validation_failed (422)
 */
export const checkChangedTimes = async (
  scope: TimesOwner,
  before: readonly Timed[],
  transaction: Transaction,
  call: Call,
  field?: string,
): Promise<void> => {
  const known = new Map(before.map(seat => [seat.id, seat]));
  const moved = (await selectTimed(scope, transaction).execute()).flatMap((seat): Timed[] => {
    const earlier = known.get(seat.id);
    if (isMoved(earlier, seat)) return [seat];
    // Its times stay, and with them its work.
    return seat.books && !earlier?.books ? [{ ...seat, first: null, last: null }] : [];
  });
  const booked = moved.filter(({ books }) => books);
  // Most are locked already; the others were booked before the written record was locked.
  const employees = await lockEmployees(
    booked.map(({ employee_id }) => employee_id),
    transaction,
    { late: true },
  );
  const rulebook = rulebookOf(call.fields, call.principal.tenant, call.principal.apiUser);
  await loadObstacles(employees, booked, rulebook, transaction);
  const workers = new Map(employees.map(worker => [worker.id, worker]));
  const broken = breachesByAssignment(employees, booked, known);
  const found = moved.map(seat => {
    const worker = workers.get(seat.employee_id);
    const errors = timeErrors(seat, worker, field);
    const breaches = worker ? judgedBreaches(worker, broken.get(seat.id) ?? [], field ?? 'start') : none;
    const verdict = verdictOn(together({ ...none, errors }, breaches), isOn(call.parameters, 'force'));
    return { ...seat, verdict };
  });
  const errors = found.flatMap(({ id, verdict }) => verdict.errors.map(error => ({ ...error, assignment_id: id })));
  if (errors.length > 0) throw validationFailed(errors);
  warn(
    found.flatMap(({ verdict }) => verdict.warned),
    transaction,
  );
  const told = found
    .filter(({ verdict }) => verdict.overridden.length + verdict.warned.length > 0)
    .map(({ id, status, verdict }) => ({
      assignment_id: id,
      action: 'time' as const,
      from_status: status,
      to_status: status,
      data: withBreaches(null, verdict),
      overridden: verdict.overridden,
    }));
  await recordHistory(told, call.principal.apiUser.id, transaction);
};

/** Returns the breaches that moves cause, by the moved assignment that each is about first. */
const breachesByAssignment = (
  workers: readonly Worker[],
  moved: readonly Timed[],
  before: ReadonlyMap<number, Timed>,
): ReadonlyMap<number, readonly Breach[]> => {
  const byEmployee = Map.groupBy(moved, ({ employee_id }) => employee_id);
  const broken = workers.flatMap(worker => {
    const own = byEmployee.get(worker.id) ?? [];
    const times = new Map(own.map(({ id }) => [id, bookedTimes(before.get(id))]));
    return breachesOf(worker, work => moving(work, times)).map(breach => {
      const about = [breach.assignmentId, ...breach.assignmentIds].find(id => id !== null && times.has(id));
      return { breach, id: about ?? (own[0]?.id as number) };
    });
  });
  const groups = Map.groupBy(broken, ({ id }) => id);
  return new Map([...groups].map(([id, found]) => [id, found.map(({ breach }) => breach)]));
};

const bookedTimes = (timed: Timed | undefined): Timed | null => (timed?.books ? timed : null);
