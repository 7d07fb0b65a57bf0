import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import { selectBookings } from '../staffing/bookings.ts';
import type { PlannedTimes } from './employee-work.ts';
import type { Placement } from './piece.ts';

/** A row of `selectWork`. */
export interface BareRow extends PlannedTimes {
  readonly id: number;
  readonly worked: readonly PlannedTimes[] | null;
}

/** A row of `selectPieces`. */
export interface WorkedRow extends BareRow, Placement {}

/** Builds the query of booked work as it is planned. */
export const selectPlanned = (db: Kysely<Tables>) =>
  selectBookings(db).select([
    sql<string | null>`coalesce(a.break_start, f.break_start, booked.break_start)`.as('break_start'),
    sql<string | null>`coalesce(a.break_end, f.break_end, booked.break_end)`.as('break_end'),
  ]);

/**
 * The id of an event function's location, else of its event's.
 * Row security keeps Postgres from finding a location by `coalesce`.
 */
const locationOf = (event: 'e' | 'booked') =>
  sql<number | null>`case when f.location_id is null then ${sql.ref(`${event}.location_id`)} else f.location_id end`;

/** Builds the query of booked work as it is planned, with what scopes of rules ask of it. */
export const selectPlaced = (db: Kysely<Tables>) =>
  selectPlanned(db)
    .innerJoin('projects as p', 'p.id', 'booked.project_id')
    .innerJoin('employees as w', 'w.id', 'a.employee_id')
    .leftJoin('functions as t', 't.id', 'f.function_id')
    .leftJoin('locations as l', join => join.on('l.id', '=', locationOf('booked')))
    .leftJoin('wage_profiles as d', join => join.on('d.default_place', '=', 1))
    .select([
      'f.function_id as functionId',
      sql<number | null>`coalesce(booked.client_id, p.client_id)`.as('clientId'),
      'l.id as locationId',
      'l.country as countryId',
      sql<number | null>`coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id,
        w.wage_profile_id, d.id)`.as('wageProfileId'),
    ]);

/** Builds the query of the recorded work of an assignment, as a column. */
const recorded = (db: Kysely<Tables>) =>
  db
    .selectFrom('work_times as u')
    .select(
      sql<readonly PlannedTimes[] | null>`jsonb_agg(jsonb_build_object('start', u.start, 'end', u."end",
        'break_start', u.break_start, 'break_end', u.break_end))`.as('worked'),
    )
    .where('u.event_function_employee_id', '=', sql.ref<number>('a.id'))
    .as('worked');

/** Builds the query of booked work, with recorded work. */
export const selectWork = (db: Kysely<Tables>) => selectPlanned(db).select(recorded(db));

/** Builds the query of booked work, with recorded work and what scopes of rules ask of it. */
export const selectPieces = (db: Kysely<Tables>) => selectPlaced(db).select(recorded(db));

/** Builds the query of what scopes ask of event functions. */
export const selectSites = (db: Kysely<Tables>) =>
  db
    .selectFrom('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .leftJoin('functions as t', 't.id', 'f.function_id')
    .leftJoin('locations as l', join => join.on('l.id', '=', locationOf('e')))
    .leftJoin('wage_profiles as d', join => join.on('d.default_place', '=', 1))
    .select([
      'f.id',
      'f.function_id as functionId',
      sql<number | null>`coalesce(e.client_id, p.client_id)`.as('clientId'),
      'l.id as locationId',
      'l.country as countryId',
      sql<number | null>`coalesce(f.wage_profile_id, t.wage_profile_id)`.as('wageProfileId'),
      'd.id as defaultProfileId',
    ]);
