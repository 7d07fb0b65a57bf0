import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { ApiError, fieldError, validationFailed } from '../../core/errors.ts';
import { parseInstant } from '../../core/time.ts';
import { recordHistory } from '../../domain/staffing/record.ts';
import { lockSeats } from '../../domain/staffing/seats.ts';
import type { Action } from '../../engine/action.ts';
import { showRecord } from '../../engine/verb.ts';

/** PUT /assignments/{id}/pay: sets the date on which approved work was paid; null resets it. */
export const pay: Action<'assignments_pay'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, body, principal } = call;
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    const paidOn = body.paid_on === null ? null : parseInstant(body.paid_on, principal.tenant.timeZone);
    if (body.paid_on !== null && paidOn === null) throw validationFailed([fieldError('invalid_format', 'paid_on')]);
    if (paidOn !== null && !seat.is_approved) throw validationFailed([fieldError('not_approved', 'paid_on')]);
    const changed = await transaction.kysely
      .updateTable('assignments')
      .set({ paid_on: paidOn, updated_at: sql<string>`date_trunc('second', now())` })
      .where('id', '=', id)
      .where('paid_on', 'is distinct from', paidOn)
      .returning('id')
      .execute();
    const { status } = seat;
    const entry = { assignment_id: id, action: 'payment' as const, from_status: status, to_status: status };
    const entries = changed.map(() => ({ ...entry, data: { paid_on: paidOn } }));
    await recordHistory(entries, principal.apiUser.id, transaction);
    return showRecord(resources.assignments, id, call, transaction);
  });
