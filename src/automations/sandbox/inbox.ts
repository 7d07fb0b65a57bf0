import type { Transaction } from '../../db/database.ts';
import { newId } from '../../db/ids.ts';
import { headersOf, type Message, type Response } from '../webhook.ts';

/** A webhook as the inbox of a sandbox has received it, and the response. */
export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly response: Response & { readonly status: number };
}

/** Host names whose webhooks have the status in their name as the response; the domain is reserved (RFC 2606), so that none exists. */
const answering = /^([2-5]\d\d)\.invalid$/;

/** Receives a webhook in place of its target: nothing leaves the machine. */
export const receive = (message: Message): Received => {
  const { url, payload } = message;
  const status = Number(answering.exec(new URL(url).hostname)?.[1] ?? 200);
  const error = status < 300 ? null : 'not_accepted';
  return { url, headers: headersOf(message), body: payload, response: { status, error } };
};

/** The delivery that sent a webhook. */
interface Sender {
  readonly id: number;
  readonly automation_id: number;
  /** The attempts before this one. */
  readonly attempt: number;
}

/** Puts a received webhook into the inbox, in the transaction that stores the outcome of the attempt. */
export const putIntoInbox = async (
  { url, headers, body, response }: Received,
  { id, automation_id, attempt }: Sender,
  transaction: Transaction,
): Promise<void> => {
  await transaction.kysely
    .insertInto('sandbox_inbox')
    .values({
      id: await newId(transaction, 'sandbox_inbox'),
      automation_id,
      delivery_id: id,
      attempt: attempt + 1,
      url,
      headers: JSON.stringify(headers),
      body,
      response_status: response.status,
    })
    .execute();
};
