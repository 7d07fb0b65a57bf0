import { type AliasedExpression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import { workRuleJson } from '../../attributes/work-rules.ts';
import type { TenantRule } from '../../core/resource/fields.ts';
import type { Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import type { Person, WorkPiece } from '../rules/piece.ts';
import { selectPieces, type WorkedRow } from '../rules/pieces.ts';
import type { Booking } from '../staffing/checks.ts';
import { busyPiece, pieceOfRow } from '../staffing/workers.ts';
import type { Span } from '../time/span.ts';

/** An assignment that takes its employee's time. */
export interface JudgedBooking extends Booking {
  readonly client_id: number | null;
  readonly required: readonly number[];
}

/** An employee with the work from which conflicts follow. */
export interface WorkingPerson extends Person {
  readonly isForgotten: boolean;
  /** In order of their start. */
  readonly bookings: readonly JudgedBooking[];
  readonly absences: readonly (Span & { readonly id: number })[];
  readonly pieces: readonly WorkPiece[];
}

/** What conflicts of some employees follow from, as one statement sees it: no write is seen in part. */
export interface WorkData {
  readonly rules: readonly TenantRule[];
  readonly people: readonly WorkingPerson[];
}

/** Loads the work of employees that ends after a time. */
export const loadWork = async (
  employees: readonly number[],
  from: string,
  { kysely }: Pick<Transaction, 'kysely'>,
): Promise<WorkData> => {
  const ids = literal(employees);
  const start = sql<string>`${from}::timestamptz`;
  const found = await kysely
    .selectNoFrom(() => [
      rulesQuery(kysely).as('rules'),
      rowsOf<PersonRow>(kysely, peopleQuery(kysely, ids).as('row')).as('people'),
      rowsOf<BookedRow>(kysely, bookingsQuery(kysely, ids, start).as('row')).as('bookings'),
      rowsOf<AbsentRow>(kysely, absencesQuery(kysely, ids, start).as('row')).as('absences'),
    ])
    .executeTakeFirstOrThrow();
  const bookings = Map.groupBy(found.bookings ?? [], ({ employee_id }) => employee_id);
  const absences = Map.groupBy(found.absences ?? [], ({ employee_id }) => employee_id);
  return {
    rules: found.rules ?? [],
    people: (found.people ?? []).map(person =>
      personOf(person, bookings.get(person.id) ?? [], absences.get(person.id) ?? []),
    ),
  };
};

/** Returns the query of the rows of a query, as one JSON array. */
const rowsOf = <Row>(db: Kysely<Tables>, rows: AliasedExpression<object, 'row'>) =>
  db.selectFrom(rows).select(sql<readonly Row[]>`coalesce(jsonb_agg(to_jsonb("row")), '[]')`.as('rows'));

interface PersonRow extends Person {
  readonly is_forgotten: boolean;
}

interface BookedRow extends WorkedRow {
  readonly employee_id: number;
  readonly event_id: number;
  readonly required_qualifications: readonly number[];
}

interface AbsentRow extends Span {
  readonly id: number;
  readonly employee_id: number;
  readonly counts_as_work: boolean;
}

const rulesQuery = (db: Kysely<Tables>) =>
  db
    .selectFrom('work_rules')
    .select(sql<readonly TenantRule[]>`coalesce(jsonb_agg(${sql.raw(workRuleJson)} order by id), '[]')`.as('rules'))
    .where('mode', '<>', 'off');

const peopleQuery = (db: Kysely<Tables>, ids: string) =>
  db
    .selectFrom('employees')
    .select(['id', 'qualifications', 'birthday', sql<boolean>`forgotten_at is not null`.as('is_forgotten')])
    .where('id', '=', oneIn(ids));

const bookingsQuery = (db: Kysely<Tables>, ids: string, start: ReturnType<typeof sql<string>>) =>
  selectPieces(db)
    .select('f.required_qualifications')
    .where('a.employee_id', '=', oneIn(ids))
    .where('a.effective_end', '>', start)
    .orderBy('a.effective_start')
    .orderBy('a.id');

const absencesQuery = (db: Kysely<Tables>, ids: string, start: ReturnType<typeof sql<string>>) =>
  db
    .selectFrom('busy_dates')
    .select(['id', 'employee_id', 'start', 'end', 'counts_as_work'])
    .where('employee_id', '=', oneIn(ids))
    .where(sql<SqlBool>`"end" > ${start}`)
    .orderBy('start')
    .orderBy('id');

const personOf = (
  { id, qualifications, birthday, is_forgotten: isForgotten }: PersonRow,
  booked: readonly BookedRow[],
  away: readonly AbsentRow[],
): WorkingPerson => ({
  id,
  qualifications,
  birthday,
  isForgotten,
  bookings: booked.map(row => ({
    assignment_id: row.id,
    event_id: row.event_id,
    client_id: row.clientId,
    required: row.required_qualifications,
    ...spanOf(row),
  })),
  absences: away.map(row => ({ id: row.id, ...spanOf(row) })),
  pieces: [...booked.map(pieceOfRow), ...away.filter(row => row.counts_as_work).map(busyPiece)],
});

const spanOf = ({ start, end }: Span): Span => ({ start: inUtc(start), end: inUtc(end) });

/** Returns a time as in responses; within JSON, Postgres writes it with an offset. */
const inUtc = (text: string | null): string | null => text && `${new Date(text).toISOString().slice(0, 19)}Z`;
