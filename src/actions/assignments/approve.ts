import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../../errors.ts';
import { checkReferences } from '../../resource/references.ts';
import { showRecord } from '../../resource/verb.ts';
import { recordHistory } from '../../staffing/record.ts';
import { lockSeats } from '../../staffing/seats.ts';
import { isHolding } from '../../staffing/transition.ts';
import type { Action } from '../action.ts';

/** PUT /assignments/{id}/approve: a planner approves the work, or takes the approval back. */
export const approve: Action<'assignments_approve'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, body } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    if (seat.is_paid) throw validationFailed([fieldError('assignment_paid', 'approved_by_planner_id')]);
    const planner = body.approved_by_planner_id;
    const set = call.fields.of(resources.assignments);
    const errors = [...(await checkReferences(set, { approved_by_planner_id: planner }, resources, transaction))];
    if (planner !== null && !isHolding(seat.status)) errors.push(fieldError('invalid_transition', 'approved_by_planner_id')); // biome-ignore format: one line
    if (errors.length > 0) throw validationFailed(errors);
    const now = sql<string>`date_trunc('second', now())`;
    await transaction.kysely
      .updateTable('assignments')
      .set({
        is_approved: planner !== null,
        approved_by_planner_id: planner,
        approved_on: planner === null ? null : now,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute();
    const { status } = seat;
    const entry = { assignment_id: id, action: 'approval' as const, from_status: status, to_status: status };
    await recordHistory(
      [{ ...entry, data: { approved_by_planner_id: planner } }],
      call.principal.apiUser.id,
      transaction,
    );
    return showRecord(resources.assignments, id, call, transaction);
  });
