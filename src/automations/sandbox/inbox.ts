import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import type { Delivery } from '../pending.ts';
import { headersOf, type WebhookMessage, type WebhookResponse } from '../webhook.ts';

/**
 * Host names whose webhooks have the status in their name as the response.
 * The domain is reserved (RFC 2606), so that none exists.
 */
const hostOfStatus = /^([2-5]\d\d)\.invalid$/;

/** Returns the response to a webhook in place of its target: nothing leaves the machine. */
export const respond = ({ url }: Pick<WebhookMessage, 'url'>): WebhookResponse & { readonly status: number } => {
  const status = Number(hostOfStatus.exec(new URL(url).hostname)?.[1] ?? 200);
  return { status, error: status < 300 ? null : 'not_accepted' };
};

/** Puts a webhook into the inbox of a sandbox, in the transaction that stores the attempt's outcome. */
export const putIntoInbox = async (
  message: WebhookMessage,
  { status }: WebhookResponse & { readonly status: number },
  { id, automation_id, attempt }: Pick<Delivery, 'id' | 'automation_id' | 'attempt'>,
  transaction: Transaction,
): Promise<void> => {
  await transaction.kysely
    .insertInto('sandbox_inbox')
    .values({
      id: await newId(transaction, 'sandbox_inbox'),
      automation_id,
      delivery_id: id,
      attempt: attempt + 1,
      url: message.url,
      headers: JSON.stringify(headersOf(message)),
      body: message.payload,
      response_status: status,
    })
    .execute();
};
