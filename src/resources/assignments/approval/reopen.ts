import { sql } from 'kysely';
import { resources } from '../../../../generated/resources.ts';
import { ApiError, type FieldError, fieldError, validationFailed } from '../../../core/errors.ts';
import { normalise } from '../../../core/lines.ts';
import { now } from '../../../db/now.ts';
import { dropUnbilled } from '../../../domain/billing/bill.ts';
import { withdrawWork } from '../../../domain/pay/approve.ts';
import { paysheetToCorrect } from '../../../domain/pay/correction.ts';
import { entryOf, recordHistory } from '../../../domain/staffing/history.ts';
import { lockSeats } from '../../../domain/staffing/locked-staffing.ts';
import { frozen, type Seat } from '../../../domain/staffing/transition.ts';
import type { Action } from '../../../engine/action.ts';
import { endWithRecord } from '../../../engine/verb.ts';

const FIELD = 'is_approved';

/** PUT /assignments/{id}/reopen: opens a correction of paid work, whose approval is withdrawn. */
export const reopen: Action<'assignments_reopen'> = (call, db) =>
  db.transaction(async transaction => {
    const { id, body, principal } = call;
    const reason = normalise('many', body.reason);
    const seat = (await lockSeats([id], transaction)).get(id);
    if (!seat || seat.status === null) throw new ApiError('not_found');
    reject([...(reason === '' ? [fieldError('not_empty', 'reason')] : []), ...stateErrors(seat)]);
    const { paysheetId, errors } = await paysheetToCorrect(id, FIELD, transaction);
    reject(errors);
    await dropUnbilled([id], transaction);
    await withdrawWork([id], transaction);
    const [opened] = await transaction.kysely
      .updateTable('assignments')
      .set({
        is_approved: false,
        approved_on: null,
        approved_by_planner_id: null,
        pay_amount: null,
        correction_count: sql`correction_count + 1`,
        // The object has no column: Citus computes it before the statement is sent to a worker.
        correction: sql<string>`jsonb_set(jsonb_build_object(
          'opened_on', to_char(tenant_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          'opened_by', ${principal.apiUser.id}::bigint,
          'reason', ${reason}::text,
          'paysheet_id', ${paysheetId}::bigint
        ), '{number}', (correction_count + 1)::text::jsonb)`,
        updated_at: now,
      })
      .where('id', '=', id)
      .returning('correction_count')
      .execute();
    const data = { number: opened?.correction_count ?? null, reason };
    await recordHistory([entryOf(seat, 'correction', data)], principal.apiUser.id, transaction);
    return endWithRecord(resources.assignments, id, call, transaction);
  });

/** Returns the error of an assignment that is already open, or has no approval to reopen. */
const stateErrors = (seat: Seat): readonly FieldError[] => {
  if (seat.correction !== null) return frozen(seat, FIELD);
  return seat.is_approved ? [] : [fieldError('not_approved', FIELD)];
};

const reject = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw validationFailed(errors);
};
