import assert from 'node:assert/strict';
import type { ApiResponse, Asked, Client } from '../../support/app.ts';

/** A message of the inbox. */
export interface Message {
  readonly id: number;
  readonly automation_id: number;
  readonly delivery_id: number;
  readonly attempt: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly response_status: number;
  readonly received_at: string;
}

/** Returns the time in the sandbox, in milliseconds since 1970. */
export const timeOf = async (client: Client): Promise<number> => {
  const response = await client.call('GET', '/sandbox/clock');
  assert.equal(response.status, 200, response.text);
  return Date.parse(response.body.now);
};

/** Moves the clock of the sandbox. */
export const moveTo = async (client: Client, now: string | number, asked: Asked = {}): Promise<ApiResponse> => {
  const text = typeof now === 'number' ? new Date(now).toISOString() : now;
  return client.call('PUT', '/sandbox/clock', { ...asked, body: { now: text } });
};

/** Runs what is due, without moving the clock. */
export const flush = async (client: Client): Promise<void> => {
  const response = await client.call('PUT', '/sandbox/clock', { body: {} });
  assert.equal(response.status, 200, response.text);
};

/** Returns the messages of the inbox. */
export const inboxOf = async (client: Client, query = ''): Promise<readonly Message[]> => {
  const response = await client.call('GET', `/sandbox/inbox${query}`);
  assert.equal(response.status, 200, response.text);
  return response.body;
};

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Formats milliseconds since 1970 as in responses. */
export const instant = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z/, 'Z');
