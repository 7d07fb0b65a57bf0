import { type SqlBool, sql } from 'kysely';
import { assignmentBooked, eventAborted } from '../../../../generated/status-sets.ts';
import type { FieldError } from '../../../core/errors.ts';
import type { Transaction } from '../../../db/database.ts';
import { moving } from '../../rules/employee-work.ts';
import type { Breach } from '../../rules/judge.ts';
import type { Rulebook } from '../../rules/rulebook.ts';
import type { Span } from '../../time/span.ts';
import { OPEN } from '../../work/decide.ts';
import { leftErrors } from '../../work/plausible.ts';
import { breachesOf, judgedBreaches, none, type Obstacles, obstacles, together, type Worker } from '../checks.ts';
import type { Seat } from '../transition.ts';
import { loadObstacles } from '../workers.ts';
import { owners, type TimesScope } from './effective.ts';

/**
 * Selects the assignments of the scope whose times something depends on, with their effective times.
 * Those that book their employee (`books`; none of an aborted event does), and those with open work, which is from `first` to
 * `last`.
 */
export const selectTimed = ({ field, id }: TimesScope, { kysely }: Transaction) => {
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
 */
export const judgeTimes = async (
  seat: Seat,
  timed: Timed | undefined,
  rulebook: Rulebook,
  transaction: Transaction,
): Promise<Obstacles> => {
  if (!timed || !isMoved(seat, timed)) return none;
  const { worker } = seat;
  if (timed.books) await loadObstacles([worker], [timed], rulebook, transaction);
  const breaches = timed.books ? breachesOf(worker, work => moving(work, new Map([[timed.id, seat]]))) : [];
  const errors = timeErrors(timed, worker);
  return together({ ...none, errors }, judgedBreaches(worker, breaches, 'start'));
};

const timeErrors = (timed: Timed, worker: Worker | undefined, field?: string): readonly FieldError[] => [
  ...(timed.books && worker
    ? obstacles(worker, timed, timed.required_qualifications as number[], timed.id, field ?? 'start')
    : []),
  ...leftErrors(timed, { start: timed.first, end: timed.last }, field),
];

/** Returns whether an assignment has other times than before. */
export const isMoved = (before: Span | undefined, { start, end }: Span): boolean =>
  before?.start !== start || before.end !== end;

/** Assignments with new times, their times before by id, and the locked employees whom they book. */
interface MovedSeats {
  readonly moved: readonly Timed[];
  readonly before: ReadonlyMap<number, BookedTimes>;
  readonly employees: readonly Worker[];
}

/** The times of an assignment, and whether they book its employee. */
type BookedTimes = Pick<Timed, 'start' | 'end' | 'break_start' | 'break_end' | 'books'>;

/** Returns what stands against the times of moved assignments, each with those of the others. */
export const judgeMoved = async (
  { moved, before, employees }: MovedSeats,
  rulebook: Rulebook,
  transaction: Transaction,
  field?: string,
): Promise<readonly { readonly seat: Timed; readonly found: Obstacles }[]> => {
  const booked = moved.filter(({ books }) => books);
  await loadObstacles(employees, booked, rulebook, transaction);
  const workers = new Map(employees.map(worker => [worker.id, worker]));
  const broken = breachesByAssignment(employees, booked, before);
  return moved.map(seat => {
    const worker = workers.get(seat.employee_id);
    const errors = timeErrors(seat, worker, field);
    const breaches = worker ? judgedBreaches(worker, broken.get(seat.id) ?? [], field ?? 'start') : none;
    return { seat, found: together({ ...none, errors }, breaches) };
  });
};

/**
 * Returns what stands against the times that locked assignments have got, by assignment.
 * Those whose times are as before have nothing.
 * @param seats the assignments before, which booked their employees
 * @param timed those of them whose times something depends on
 * @param field the field that errors are reported on
 */
export const judgeFreed = async (
  seats: readonly Seat[],
  timed: readonly Timed[],
  rulebook: Rulebook,
  transaction: Transaction,
  field: string,
): Promise<ReadonlyMap<number, Obstacles>> => {
  const before = new Map(seats.map(seat => [Number(seat.id), { ...seat, books: true }]));
  const moved = timed.filter(seat => isMoved(before.get(seat.id), seat));
  if (moved.length === 0) return new Map();
  const known = new Set(moved.filter(({ books }) => books).map(({ employee_id }) => employee_id));
  const workers = new Map(seats.map(({ worker }) => [worker.id, worker]));
  const employees = [...workers.values()].filter(({ id }) => known.has(id));
  const judged = await judgeMoved({ moved, before, employees }, rulebook, transaction, field);
  return new Map(judged.map(({ seat, found }) => [seat.id, found]));
};

/** Returns the breaches that moves cause, by the moved assignment that each is about first. */
const breachesByAssignment = (
  workers: readonly Worker[],
  moved: readonly Timed[],
  before: ReadonlyMap<number, BookedTimes>,
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

const bookedTimes = (timed: BookedTimes | undefined): BookedTimes | null => (timed?.books ? timed : null);
