import assert from 'node:assert/strict';
import type { Client } from '../support/app.ts';

/** A delivery as in the listing. */
export interface Shown {
  readonly id: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly attempt: number;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
}

/** Creates an automation and returns its id. */
export const automate = async (
  client: Client,
  [trigger_type, trigger]: readonly [type: string, configuration: object],
  [routine_type, routine]: readonly [type: string, configuration: object] = webhook,
): Promise<number> => {
  const body = {
    trigger_type,
    trigger_configuration: JSON.stringify(trigger),
    routine_type,
    routine_configuration: JSON.stringify(routine),
  };
  const response = await client.call('POST', '/automations', { body });
  assert.equal(response.status, 201, response.text);
  return response.body.id;
};

export const webhook = [
  'webhook.post',
  { url: 'https://hooks.example.com/a', headers: { 'X-Key': 'k-4711' } },
] as const;

/** The deliveries of an automation, oldest first. */
export const deliveriesOf = async (client: Client, automation: number, query = ''): Promise<readonly Shown[]> => {
  const response = await client.call('GET', `/automations/${automation}/deliveries${query}`);
  assert.equal(response.status, 200, response.text);
  return response.body;
};
