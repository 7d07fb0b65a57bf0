import { isOn } from '../../core/call/switch.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import { today } from '../../core/time.ts';
import type { Transaction } from '../../db/database.ts';
import {
  answerErrors,
  answerOf,
  brokenRules,
  definitionOf,
  type Rule,
} from '../../domain/availability/availability.ts';
import { recordActivityOf } from '../../domain/staffing/active.ts';
import { lockEmployees } from '../../domain/staffing/locks.ts';
import type { Rules } from '../../engine/rules.ts';

/** A response matches the request and satisfies all rules, unless enforced; it completes the request. */
export const availabilityRequestsAvailabilities: Rules<number> = {
  lock: async ({ id, body }, transaction) => {
    const requestId = id ?? body.availability_request_id;
    if (typeof requestId !== 'number') return;
    await lockEmployee(requestId, transaction);
    const request = await lockRequest(requestId, transaction);
    // The first answer may also be an update.
    if (request && id !== null && Object.hasOwn(body, 'availabilities')) await prepare(id, transaction);
  },
  check: async ({ before, after }, transaction, call) => {
    const id = Number((after ?? before)?.availability_request_id);
    const request = await lockRequest(id, transaction);
    if (!request) return { errors: [] };
    const enforced = isOn(call.parameters, 'force');
    const blocked = request.blocked_at === null ? [] : [fieldError('request_blocked', 'availability_request_id')];
    if ((blocked.length > 0 && !enforced) || !after) return { errors: enforced ? [] : blocked };
    const row = await transaction.kysely
      .selectFrom('availability_requests_definitions')
      .select(['rules', 'time_slots', 'requested_availabilities'])
      .where('availability_request_id', '=', id)
      .executeTakeFirst();
    const definition = row ? definitionOf(row) : null;
    const errors = answerErrors(answerOf(after), request, definition, answerOf(before ?? {}));
    if (errors.length > 0) return { errors: errors.slice(0, 100) };
    const broken = definition ? brokenRules(answerOf(after), definition) : [];
    return { errors: enforced ? [] : broken.map(notMet), found: blocked.length + broken.length };
  },
  follow: async ({ before, after }, transaction, call, overridden = 0) => {
    const id = Number((after ?? before)?.availability_request_id);
    const request = await transaction.kysely
      .updateTable('availability_requests')
      .set({
        completed_at: after ? today(call.principal.tenant) : null,
        completed_by_enforcement: overridden > 0,
      })
      .where('id', '=', id)
      .returning('employee_id')
      .executeTakeFirstOrThrow();
    if (after) recordActivityOf(request.employee_id, transaction);
  },
};

const notMet = ({ id, message }: Rule): FieldError =>
  fieldError('rule_not_met', 'availabilities', message || undefined, { rule_id: id });

/** Locks the employee before the request: the order of `staffingLocks`. */
const lockEmployee = async (requestId: number, transaction: Transaction): Promise<void> => {
  const { kysely } = transaction;
  const query = kysely.selectFrom('availability_requests').select('employee_id').where('id', '=', requestId);
  const request = await query.executeTakeFirst();
  if (request) await lockEmployees([request.employee_id], transaction);
};

/** Locks the request, so that concurrent responses are checked sequentially against its current state. */
const lockRequest = (id: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('availability_requests')
    .select(['from', 'to', 'blocked_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

const prepare = async (id: number, { kysely }: Transaction): Promise<void> => {
  await kysely
    .insertInto('availability_requests_availabilities')
    // Null, so that any list, even an empty one, is a change.
    .values({ availability_request_id: id, availabilities: 'null' })
    .onConflict(conflict => conflict.doNothing())
    .execute();
};
