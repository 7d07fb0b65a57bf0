import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { healthRoutes } from '../../../src/http/connection/health.ts';
import { openInternalPort } from '../../../src/http/connection/internal/internal.ts';

/** A thread that sends a GET request and stores the status of its response in the shared number, which wakes whoever waits for it. */
const asking = `
  const { workerData: { url, status } } = require('node:worker_threads');
  const shared = new Int32Array(status);
  const done = code => { Atomics.store(shared, 0, code); Atomics.notify(shared, 0); };
  fetch(url, { headers: { Connection: 'close' } }).then(response => done(response.status), () => done(-1));
`;

describe('the internal port', async () => {
  let unready: () => Promise<string | null> = async () => null;
  const port = await openInternalPort(
    { port: 0, host: '127.0.0.1' },
    {
      ...healthRoutes(() => unready()),
      'POST /echo': async ({ body, headers, address }) => ({
        status: 201,
        type: 'text/plain',
        body: `${address} ${headers['x-a']} ${Buffer.from(body ?? [])}`,
      }),
      'GET /broken': () => Promise.reject(new Error('secret')),
    },
  );
  after(port.close);
  const url = (path: string) => `http://127.0.0.1:${port.port}${path}`;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(url(path), { ...init, headers: { Connection: 'close', ...init.headers } });

  it('is alive as long as the process runs', async () => {
    unready = async () => 'stopping';
    assert.equal((await ask('/livez')).status, 200);
    assert.equal((await ask('/livez?verbose', { method: 'HEAD' })).status, 200);
  });

  it('responds to /livez while the event loop of the main thread is held', () => {
    const status = new SharedArrayBuffer(4);
    const worker = new Worker(asking, { eval: true, workerData: { url: url('/livez'), status } });
    // Holds this thread until the response is there.
    const waited = Atomics.wait(new Int32Array(status), 0, 0, 30_000);
    void worker.terminate();
    assert.notEqual(waited, 'timed-out');
    assert.equal(new Int32Array(status)[0], 200);
  });

  it('is ready unless something stands against it', async () => {
    const cases: [state: () => Promise<string | null>, status: number, body: object][] = [
      [async () => null, 200, { status: 'ready' }],
      [async () => 'stopping', 503, { status: 'unready', reason: 'stopping' }],
      [() => Promise.reject(new Error('secret')), 503, { status: 'unready', reason: 'database' }],
    ];
    for (const [state, status, body] of cases) {
      unready = state;
      const response = await ask('/readyz');
      assert.deepEqual([response.status, await response.json()], [status, body]);
    }
  });

  it('hands requests with their headers and body to a route, and its response back', async () => {
    const response = await ask('/echo', { method: 'POST', headers: { 'X-A': 'b' }, body: 'ü' });
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), await response.text()],
      [201, 'text/plain; charset=utf-8', '127.0.0.1 b ü'],
    );
    assert.equal((await ask('/echo', { method: 'POST', body: 'x'.repeat(65_537) })).status, 413);
  });

  it('says nothing about the failure of a route', async () => {
    const response = await ask('/broken');
    assert.deepEqual([response.status, await response.text()], [500, '{"status":"failed"}']);
  });

  it('has nothing else', async () => {
    for (const path of ['/api/v1/clients', '/', '/constructor', '/readyz/'])
      assert.equal((await ask(path)).status, 404, path);
    assert.equal((await ask('/readyz', { method: 'POST' })).status, 404);
  });

  it('cannot be opened where another process listens, and tells which port that is', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await assert.rejects(openInternalPort({ port, host: '127.0.0.1' }, {}), { code: 'EADDRINUSE', port });
    other.close();
  });
});
