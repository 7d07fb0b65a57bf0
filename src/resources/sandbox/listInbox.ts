import type { Parameter } from '../../core/call/parameter.ts';
import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /sandbox/inbox: lists the webhooks that the sandbox has received, oldest first. */
export const listInbox: Action<'sandbox_listInbox'> = ({ principal, parameters }, db) => {
  if (principal.apiUser.hidden.length > 0)
    throw new ApiError('forbidden', {
      message: 'The inbox shows webhooks whole, and categories of fields are hidden from the API user.',
    });
  const after = whole('after', parameters, Number.MAX_SAFE_INTEGER);
  const limit = whole('limit', parameters, 1000) ?? 100;
  return db.snapshot(async transaction => {
    const last = after === null ? null : await placeOf(after, transaction);
    const messages = await transaction.kysely
      .selectFrom('sandbox_inbox')
      .select(['id', 'automation_id', 'delivery_id', 'attempt', 'url', 'headers', 'body', 'response_status'])
      .select('received_at')
      .$if(last !== null, query =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('received_at', 'id'), '>', tuple(String(last?.received_at), Number(last?.id))),
        ),
      )
      .orderBy('received_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    return ok(messages.map(message => ({ ...message, headers: message.headers as Record<string, string> })));
  });
};

/** @throws ApiError invalid_parameter (400) if the inbox does not have the message (any more) */
const placeOf = async (id: number, { kysely }: Transaction) => {
  const found = kysely.selectFrom('sandbox_inbox').select(['id', 'received_at']).where('id', '=', id);
  const place = await found.executeTakeFirst();
  if (place) return place;
  throw new ApiError('invalid_parameter', { message: `after: the inbox has no message ${id}.` });
};

/** Returns a positive integer; null if it is not given. @throws ApiError invalid_parameter (400) */
const whole = (name: string, parameters: readonly Parameter[], maximum: number): number | null => {
  const given = parameters.filter(([parameter]) => parameter === name);
  const [[, text] = []] = given;
  if (text === undefined) return null;
  const value = Number(text);
  if (given.length === 1 && /^\d{1,16}$/.test(text) && value >= 1 && value <= maximum) return value;
  throw new ApiError('invalid_parameter', { message: `${name} must be one integer from 1 to ${maximum}.` });
};
