import { Temporal } from 'temporal-polyfill';
import { ApiError } from '../../core/errors.ts';
import { flagOf } from '../../core/resource/codec.ts';
import { type AnswerStatus, answersAbout } from '../../domain/availability/availability-answers.ts';
import { selectBookings } from '../../domain/staffing/bookings.ts';
import { conflictsOf, isAbsent, missingQualifications, type Worker } from '../../domain/staffing/checks.ts';
import type { Span } from '../../domain/time/span.ts';
import { type Action, ok } from '../../engine/action.ts';

const REST_HOURS = 11;
const ACTIVE = 4;

/** GET /event-functions/{id}/candidates: lists employees by the checks that an assignment has to pass. */
export const candidates: Action<'eventFunctions_candidates'> = ({ id, principal }, db) =>
  db.snapshot(async transaction => {
    const { kysely } = transaction;
    const place = await kysely
      .selectFrom('event_functions_view')
      .select(['start', 'end', 'required_qualifications'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!place) throw new ApiError('not_found');
    const resting = widened(place);
    const employees = await kysely
      .selectFrom('employees as w')
      .leftJoin('assignments as a', join => join.onRef('a.employee_id', '=', 'w.id').on('a.event_function_id', '=', id))
      .select(['w.id', 'w.firstname', 'w.lastname', 'w.qualifications'])
      .where('w.status', '=', ACTIVE)
      .where('a.id', 'is', null)
      .execute();
    const bookings = await selectBookings(transaction)
      .where('a.start', '<', resting.end)
      .where('a.end', '>', resting.start)
      .execute();
    const absences = await kysely
      .selectFrom('busy_dates')
      .select(['employee_id', 'start', 'end'])
      .where('start', '<', resting.end)
      .where('end', '>', resting.start)
      .execute();
    const said = await answersAbout(place, principal.tenant.timeZone, transaction);
    const booked = Map.groupBy(bookings, ({ employee_id }) => employee_id);
    const absent = Map.groupBy(absences, ({ employee_id }) => employee_id);
    const required = place.required_qualifications as number[];
    const found = employees.map(({ id: employee_id, firstname, lastname, qualifications }) => {
      const worker: Worker = {
        id: employee_id,
        status: ACTIVE,
        qualifications: qualifications as number[],
        bookings: (booked.get(employee_id) ?? []).map(({ id: assignment_id, ...rest }) => ({ assignment_id, ...rest })),
        absences: absent.get(employee_id) ?? [],
      };
      const availability = said.get(employee_id) ?? 'not_answered';
      const checks = {
        qualified: check(missingQualifications(worker, required).length === 0, 'not_qualified'),
        free: check(conflictsOf(worker, place, null).length === 0, 'double_booked'),
        available: isAbsent(worker, place)
          ? check(false, 'absent')
          : check(availability !== 'unavailable', 'unavailable'),
        rested: check(conflictsOf(worker, resting, null).length === 0, 'rest_time'),
      };
      const score = Object.values(checks).filter(({ passed }) => passed === 1).length;
      return { employee_id, firstname, lastname, score, ...checks, availability };
    });
    found.sort((a, b) => b.score - a.score || rank(b) - rank(a) || a.employee_id - b.employee_id);
    return ok(found);
  });

/** Ranks employees who have answered that they are available before others. */
const rank = ({ availability }: { readonly availability: AnswerStatus }): number =>
  Number(availability === 'available');

const check = (passed: boolean, reason: string) => ({ passed: flagOf(passed), reason: passed ? null : reason });

/** Returns the span extended by the rest period before and after it. */
const widened = ({ start, end }: Span): { start: string; end: string } => ({
  start: Temporal.Instant.from(start ?? '')
    .subtract({ hours: REST_HOURS })
    .toString(),
  end: Temporal.Instant.from(end ?? '')
    .add({ hours: REST_HOURS })
    .toString(),
});
