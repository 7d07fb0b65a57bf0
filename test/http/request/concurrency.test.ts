import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/core/call/call.ts';
import { codeOf, rows, startApi } from '../support/api.ts';

describe('requests of an API user in progress', () => {
  it('are not counted once they wait for changes only', async () => {
    let arrived = 0;
    let finish = () => {};
    let full = () => {};
    const gate = new Promise<void>(resolve => {
      finish = resolve;
    });
    const filled = new Promise<void>(resolve => {
      full = resolve;
    });
    const respond = async (call: Call) => {
      if (call.operation !== 'clients_list') return rows;
      call.leave();
      if (++arrived === 20) full();
      await gate;
      return rows;
    };
    const api = await startApi({ respond, concurrency: undefined as unknown as number });
    const waiting = Array.from({ length: 20 }, () => api.call('/api/v1/clients'));
    await filled;
    assert.equal((await api.call('/api/v1/clients/7')).status, 200);
    finish();
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
    await api.close();
  });

  it('are 20 at most; further ones get 429, those of others do not', async () => {
    let arrived = 0;
    let finish = () => {};
    let full = () => {};
    const gate = new Promise<void>(resolve => {
      finish = resolve;
    });
    const filled = new Promise<void>(resolve => {
      full = resolve;
    });
    const respond = async () => {
      if (++arrived === 20) full();
      // One beyond the limit would otherwise wait for the others, which wait for this test.
      if (arrived <= 20) await gate;
      return rows;
    };
    const api = await startApi({ respond, concurrency: undefined as unknown as number });
    const busy = Array.from({ length: 20 }, () => api.call('/api/v1/clients'));
    await filled;
    const further = await api.call('/api/v1/clients');
    assert.deepEqual(
      [further.status, codeOf(further), further.headers['retry-after']],
      [429, 'rate_limit_exceeded', '1'],
    );
    const other = api.call('/api/v1/clients', { token: 'reader' });
    finish();
    assert.equal((await other).status, 200);
    for (const { status } of await Promise.all(busy)) assert.equal(status, 200);
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    await api.close();
  });
});
