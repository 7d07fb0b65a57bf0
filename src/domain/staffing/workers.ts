import { sql } from 'kysely';
import { daysLater } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { type Site, timesOf } from '../rules/employee-work.ts';
import { nowhere, placementOf, type WorkPiece } from '../rules/piece.ts';
import { type BareRow, selectPieces, selectSites, selectWork, type WorkedRow } from '../rules/pieces.ts';
import { asksPlacement, type Rulebook } from '../rules/rulebook.ts';
import { hull, type Span } from '../time/span.ts';
import { selectBookings } from './bookings.ts';
import type { Worker } from './checks.ts';

/** Ids of employees as an array literal, and from when to when what they have to do is read. */
interface WantedEmployees {
  readonly employees: string;
  readonly start: string;
  readonly end: string;
}

/** Ids of employees and event functions as array literals, and a span. */
interface WantedWork extends WantedEmployees {
  readonly functions: string;
}

const bookingsWithin = prepare((db, { employees, start, end }: WantedEmployees) =>
  selectBookings(db)
    .where('a.employee_id', '=', oneIn(employees))
    .where('a.effective_end', '>', start)
    .where('a.effective_start', '<', end)
    .orderBy('a.id'),
);

const workWithin = prepare((db, { employees, start, end }: WantedEmployees) =>
  selectWork(db)
    .where('a.employee_id', '=', oneIn(employees))
    .where('a.effective_end', '>', start)
    .where('a.effective_start', '<', end)
    .orderBy('a.id'),
);

/**
 * The work of employees and, in rows without an employee, what scopes ask of event functions.
 * One statement reads both, so that rules add none to a write.
 */
const placedWithin = prepare((db, { employees, functions, start, end }: WantedWork) => {
  const parts = db.withoutPlugins();
  const sites = selectSites(parts).where('f.id', '=', oneIn(functions));
  return db
    .selectFrom(
      selectPieces(parts)
        .select(sql`null::bigint`.as('defaultProfileId'))
        .$castTo<WorkRow>()
        .where('a.employee_id', '=', oneIn(employees))
        .where('a.effective_end', '>', start)
        .where('a.effective_start', '<', end)
        .unionAll(parts.selectFrom(sites.as('site')).select(siteColumns).$castTo<WorkRow>())
        .as('work'),
    )
    .selectAll()
    .orderBy('id');
});

/** A booking with its work, or an event function. */
interface WorkRow extends WorkedRow, Site {
  /** Null: an event function. */
  readonly employee_id: number | null;
  readonly event_id: number;
}

/** The columns of a row of work, in that order, for an event function. */
const siteColumns = [
  'site.id',
  ...['employee_id', 'event_id'].map(name => sql`null::bigint`.as(name)),
  ...['start', 'end', 'break_start', 'break_end'].map(name => sql`null::timestamptz`.as(name)),
  'site.functionId',
  'site.clientId',
  'site.locationId',
  'site.countryId',
  'site.wageProfileId',
  sql`null::jsonb`.as('worked'),
  'site.defaultProfileId',
] as const;

const absencesWithin = prepare((db, { employees, start, end }: WantedEmployees) =>
  db
    .selectFrom('busy_dates')
    .select(['id', 'employee_id', 'start', 'end', 'counts_as_work'])
    .where('employee_id', '=', oneIn(employees))
    .where('end', '>', start)
    .where('start', '<', end),
);

/** What is to be judged: its time, and the event function of what is no work before. */
export interface Wanted extends Span {
  readonly place?: { readonly id: number };
}

/**
 * Loads the bookings and absences of employees, who are locked, during the spans.
 * With working-time rules, also the work around them. Call it after all locks are acquired: only then does it see the changes of
 * transactions that this one has waited for.
 */
export const loadObstacles = async (
  workers: readonly Worker[],
  wanted: readonly Wanted[],
  rulebook: Rulebook,
  transaction: Transaction,
): Promise<void> => {
  if (workers.length === 0) return;
  const judges = rulebook.rules.length > 0;
  const employees = literal(workers.map(({ id }) => id));
  const { start, end } = judges ? widened(hull(wanted), rulebook.reach) : hull(wanted);
  // Row security keeps Postgres from using an index for an expression such as `coalesce`.
  const span = { employees, start: start ?? '-infinity', end: end ?? 'infinity' };
  const isPlaced = rulebook.rules.some(asksPlacement);
  const functions = literal([...new Set(wanted.flatMap(({ place }) => (place ? [place.id] : [])))]);
  const [bookings, absences] = isPlaced
    ? await transaction.run(placedWithin({ ...span, functions }), absencesWithin(span))
    : await transaction.run((judges ? workWithin : bookingsWithin)(span), absencesWithin(span));
  const booked = Map.groupBy<number | null, (typeof bookings)[number]>(bookings, ({ employee_id }) => employee_id);
  const absent = Map.groupBy(absences, ({ employee_id }) => employee_id);
  const sites = isPlaced ? sitesOf((booked.get(null) ?? []) as readonly WorkRow[]) : null;
  for (const worker of workers) {
    const own = booked.get(worker.id) ?? [];
    const away = absent.get(worker.id) ?? [];
    worker.bookings = own.map(({ id, event_id, start, end }) => ({ assignment_id: id, event_id, start, end }));
    worker.absences = away;
    if (!judges) continue;
    const { id, qualifications, birthday } = worker;
    const elsewhere = away.filter(({ counts_as_work }) => counts_as_work);
    const pieces = [...(own as readonly (BareRow | WorkedRow)[]).map(pieceOfRow), ...elsewhere.map(busyPiece)];
    worker.work = { rulebook, person: { id, qualifications, birthday }, pieces, sites };
  }
};

const sitesOf = (rows: readonly WorkRow[]): ReadonlyMap<number, Site> =>
  new Map(rows.map(row => [row.id, { ...placementOf(row), defaultProfileId: row.defaultProfileId }]));

/** Returns a span with days added to both sides; infinitely many leave it open. */
const widened = ({ start, end }: Span, days: number): Span => ({
  start: start && daysLater(start, -days),
  end: end && daysLater(end, days),
});

/** Returns the work of an assignment. */
export const pieceOfRow = (row: BareRow | WorkedRow): WorkPiece => ({
  assignmentId: row.id,
  busyDateId: null,
  planned: timesOf(row),
  worked: (row.worked ?? []).map(timesOf),
  placement: 'functionId' in row ? placementOf(row) : nowhere,
});

/** Returns the work of a busy date that counts as work. */
export const busyPiece = (busy: Span & { readonly id: number }): WorkPiece => ({
  assignmentId: null,
  busyDateId: busy.id,
  planned: timesOf(busy),
  worked: [],
  placement: nowhere,
});
