import { integerOf, onlyValue } from '../../core/call/values.ts';
import { ApiError } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { readFields } from '../../db/journal/read.ts';
import { serviceHeaders } from '../../domain/occurrences/service-headers.ts';
import { type Action, ok } from '../../engine/action.ts';
import { isReadable } from './readable.ts';

/** GET /sandbox/inbox: lists the webhooks that the sandbox has received, oldest first. */
export const listInbox: Action<'sandbox_listInbox'> = (call, db) => {
  const { parameters } = call;
  const given = onlyValue('after', parameters);
  const after = given === undefined ? null : integerOf('after', given, 1, Number.MAX_SAFE_INTEGER);
  const limit = integerOf('limit', onlyValue('limit', parameters) ?? '100', 1, 1000);
  return db.snapshot(async transaction => {
    let last = after === null ? null : await placeOf(after, transaction);
    const shown: InboxMessage[] = [];
    for (let more = true; more && shown.length < limit; ) {
      const messages = await readNext(last, limit, transaction);
      const entries = await entriesOf(messages, transaction);
      shown.push(...messages.filter(({ body }) => isReadable(body, call, entries)));
      more = messages.length === limit;
      last = messages.at(-1) ?? null;
    }
    return ok(
      shown.slice(0, limit).map(({ sequence: _, ...message }) => ({
        ...message,
        headers: withoutValues(message.headers),
      })),
    );
  });
};

/** The place of a message in the inbox. */
type InboxPosition = Awaited<ReturnType<typeof placeOf>>;
type InboxMessage = Awaited<ReturnType<typeof readNext>>[number];

/** Reads the messages after a place. */
const readNext = (last: InboxPosition | null, limit: number, { kysely }: Transaction) =>
  kysely
    .selectFrom('sandbox_inbox')
    .select(['id', 'automation_id', 'delivery_id', 'attempt', 'url', 'headers', 'body', 'response_status'])
    .select(['received_at', 'sequence'])
    .$if(last !== null, query =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('received_at', 'sequence'), '>', tuple(String(last?.received_at), Number(last?.sequence))),
      ),
    )
    .orderBy('received_at')
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** Returns the fields and marks of the journal's entries that messages contain, by position. */
const entriesOf = (messages: readonly InboxMessage[], transaction: Transaction) => {
  const positions = messages.flatMap(({ body }) => JSON.parse(body).data?.position ?? []);
  return positions.length === 0 ? new Map() : readFields(positions, transaction);
};

/** Returns the headers with those values that the service has set: configured ones can be secret. */
const withoutValues = (headers: InboxMessage['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers as Readonly<Record<string, string>>).map(([name, value]) => [
      name,
      serviceHeaders.some(own => own === name) ? value : '***',
    ]),
  );

/** @throws ApiError invalid_parameter (400) if the inbox does not have the message (any more) */
const placeOf = async (id: number, { kysely }: Transaction) => {
  const found = kysely.selectFrom('sandbox_inbox').select(['sequence', 'received_at']).where('id', '=', id);
  const place = await found.executeTakeFirst();
  if (place) return place;
  throw new ApiError('invalid_parameter', { message: `after: the inbox has no message ${id}.` });
};
