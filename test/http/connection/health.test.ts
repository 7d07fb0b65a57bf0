import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createInternalApp } from '../../../src/http/connection/health.ts';
import { listen } from '../../../src/http/connection/listen.ts';

describe('the internal port', async () => {
  let unready: () => Promise<string | null> = async () => null;
  const listener = await listen(createInternalApp({ unready: () => unready() }).callback(), {
    port: 0,
    host: '127.0.0.1',
    tls: null,
    grace: 1,
  });
  after(listener.close);
  const get = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`, { headers: { Connection: 'close' } });

  it('is alive as long as it answers', async () => {
    unready = async () => 'stopping';
    assert.equal((await get('/livez')).status, 200);
  });

  it('is ready unless something stands against it', async () => {
    const cases: [state: () => Promise<string | null>, status: number, body: object][] = [
      [async () => null, 200, { status: 'ready' }],
      [async () => 'stopping', 503, { status: 'unready', reason: 'stopping' }],
      [() => Promise.reject(new Error('secret')), 503, { status: 'unready', reason: 'database' }],
    ];
    for (const [state, status, body] of cases) {
      unready = state;
      const answer = await get('/readyz');
      assert.deepEqual([answer.status, await answer.json()], [status, body]);
    }
  });

  it('has nothing else', async () => assert.equal((await get('/api/v1/clients')).status, 404));
});
