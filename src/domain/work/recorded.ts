import type { Transaction } from '../../db/database.ts';
import { owners, type TimesOwner } from '../staffing/times/effective.ts';

/** The tables of what is recorded of an assignment's work beside its work times. */
const tables = [
  'work_time_proposals',
  'wage_proposals',
  'assignment_wages',
  'checkins',
  'livestamps',
  'assignment_employment_reports',
] as const;

/**
 * Selects an assignment of the scope that has recorded work.
 * It belongs to where and when that was done. The assignments are locked, so that there is no more of it. See docs/decisions.md,
 * "Bookings and places".
 */
export const selectRecorded = ({ field, id }: TimesOwner, { kysely }: Transaction) =>
  kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .select('a.id')
    .where(owners[field], '=', id)
    .where(({ exists, or, selectFrom }) =>
      or([
        exists(selectFrom('work_times').select('id').whereRef('event_function_employee_id', '=', 'a.id')),
        ...tables.map(table => exists(selectFrom(table).select('id').whereRef('assignment_id', '=', 'a.id'))),
      ]),
    )
    .orderBy('a.id')
    .limit(1);
