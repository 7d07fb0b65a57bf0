import { assignmentHolding } from '../../../generated/status-sets.ts';
import { ApiError } from '../../core/errors.ts';
import { isAllowed } from '../../core/resource/access.ts';
import { flagOf } from '../../core/resource/codec.ts';
import type { Transaction } from '../../db/database.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /assignments/{id}/teamsheet: lists the team of the same event by function. */
export const teamsheet: Action<'assignments_teamsheet'> = ({ id, principal }, db) =>
  db.snapshot(async transaction => {
    const event = await eventOf(id, transaction);
    if (!event) throw new ApiError('not_found');
    const functions = await functionsOf(event.event_id, transaction);
    const members = await membersOf(event.event_id, transaction);
    const isReachable = isAllowed(principal.apiUser, 'employees', 'read');
    const byFunction = Map.groupBy(members, ({ event_function_id }) => event_function_id);
    return ok({
      assignment_id: event.assignment_id,
      event_id: event.event_id,
      'event.name': event.name,
      'event.start': event.start,
      'event.end': event.end,
      'event.location.name': event.location,
      functions: functions.map(({ id: functionId, name, project_leader, start, end, quantity }) => {
        const team = byFunction.get(functionId) ?? [];
        return {
          event_function_id: functionId,
          'event_function.function': name,
          start,
          end,
          quantity,
          assigned: team.length,
          members: team.map(
            ({ id: assignment_id, employee_id, firstname, lastname, mobile, status, type, timestamp }) => ({
              assignment_id,
              employee_id,
              firstname,
              lastname,
              ...(isReachable && { mobile }),
              status,
              is_team_leader: flagOf(project_leader),
              last_checkin_type: type,
              last_checkin_at: timestamp,
            }),
          ),
        };
      }),
    });
  });

const eventOf = (assignmentId: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .leftJoin('locations as l', 'l.id', 'e.location_id')
    .select(['a.id as assignment_id', 'e.id as event_id', 'e.name', 'e.start', 'e.end', 'l.name as location'])
    .where('a.id', '=', assignmentId)
    .executeTakeFirst();

const functionsOf = (eventId: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('event_functions as f')
    .innerJoin('events as e', 'e.id', 'f.event_id')
    .innerJoin('functions as t', 't.id', 'f.function_id')
    .select(['f.id', 't.name', 't.project_leader', 'f.quantity'])
    .select(({ fn }) => [fn.coalesce('f.start', 'e.start').as('start'), fn.coalesce('f.end', 'e.end').as('end')])
    .where('f.event_id', '=', eventId)
    .orderBy('start')
    .orderBy('f.id')
    .execute();

/** Returns the booked employees of an event, each with the last checkin. */
const membersOf = (eventId: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('assignments as a')
    .innerJoin('event_functions as f', 'f.id', 'a.event_function_id')
    .innerJoin('employees as e', 'e.id', 'a.employee_id')
    .leftJoin(
      query =>
        query
          .selectFrom('checkins as c')
          .innerJoin('assignments as ca', 'ca.id', 'c.assignment_id')
          .innerJoin('event_functions as cf', 'cf.id', 'ca.event_function_id')
          .distinctOn('c.assignment_id')
          .select(['c.assignment_id', 'c.type', 'c.timestamp'])
          .where('cf.event_id', '=', eventId)
          .orderBy('c.assignment_id')
          .orderBy('c.timestamp', 'desc')
          .orderBy('c.type', 'desc')
          .as('l'),
      join => join.onRef('l.assignment_id', '=', 'a.id'),
    )
    .select(['a.id', 'a.event_function_id', 'a.employee_id', 'a.status', 'e.firstname', 'e.lastname', 'e.mobile'])
    .select(['l.type', 'l.timestamp'])
    .where('f.event_id', '=', eventId)
    .where('a.status', 'in', assignmentHolding)
    .orderBy('e.lastname')
    .orderBy('e.firstname')
    .orderBy('a.id')
    .execute();
