import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHoldable } from '../support/held-table.ts';

const { client, hold } = useHoldable();

test('If-Match is compared with what the change before it leaves, however close they are', async () => {
  const { body: made } = await client.call('POST', '/clients', { body: { company: 'First' } });
  const path = `/clients/${made.id}`;
  const { headers } = await client.call('GET', path);
  const change = (company: string) =>
    client.call('PUT', path, { headers: { 'If-Match': String(headers.etag) }, body: { company } });
  await using held = await hold('clients');
  const first = change('Second');
  await held.waiting(1);
  let ended = false;
  const second = change('Third').finally(() => {
    ended = true;
  });
  await held.waiting(2, () => ended);
  await held.release();
  assert.deepEqual([(await first).status, (await second).status], [200, 412]);
});
