import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, wait } from '../../../scripts/client/send.ts';

type Step = Response | Error;

/** Sends a request to a service that responds with these steps; returns the response, the requests and the pauses. */
const run = async (request: Request, steps: readonly Step[], retries = 4) => {
  const sent: { readonly key: string | null; readonly body: string }[] = [];
  const pauses: number[] = [];
  const response = await send(request, {
    retries,
    wait: async milliseconds => void pauses.push(milliseconds),
    fetch: async attempt => {
      sent.push({ key: attempt.headers.get('idempotency-key'), body: await attempt.text() });
      const step = steps[sent.length - 1];
      if (!(step instanceof Response)) throw step;
      return step;
    },
  });
  return { response, sent, pauses };
};

const status = (code: number, headers: Record<string, string> = {}, body: object | null = null) =>
  new Response(body && JSON.stringify(body), { status: code, headers });
const url = 'https://demo.example/api/v1/clients';
const post = () => new Request(url, { method: 'POST', body: '{"company":"A"}' });
const lost = new TypeError('fetch failed');

describe('the requests of the client', () => {
  it('are repeated with the same Idempotency-Key and body when the network or the service fails', async () => {
    const { response, sent } = await run(post(), [lost, status(503), status(429), status(201)]);
    assert.equal(response.status, 201);
    assert.equal(sent.length, 4);
    assert.match(String(sent[0]?.key), /^[\w-]{36}$/);
    for (const attempt of sent) assert.deepEqual(attempt, { key: sent[0]?.key, body: '{"company":"A"}' });
  });

  it('have different keys, none for a GET, and keep a key that is given', async () => {
    const keys = await Promise.all(
      [post(), post()].map(async request => (await run(request, [status(201)])).sent[0]?.key),
    );
    assert.notEqual(keys[0], keys[1]);
    assert.equal((await run(new Request(url), [status(200)])).sent[0]?.key, null);
    const own = new Request(url, { method: 'PUT', headers: { 'Idempotency-Key': 'mine' } });
    assert.equal((await run(own, [status(200)])).sent[0]?.key, 'mine');
  });

  it('wait as long as Retry-After says, in seconds or until a date, otherwise longer each time', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { pauses } = await run(new Request(url), [
      status(429, { 'Retry-After': '7' }),
      status(503, { 'Retry-After': date }),
      status(503),
      status(503),
      status(200),
    ]);
    const [seconds, until = 0, third = 0, fourth = 0] = pauses;
    assert.equal(seconds, 7000);
    assert.ok(until > 3_500_000 && until <= 3_600_000, String(until));
    assert.ok(third >= 1000 && third <= 2000, String(third));
    assert.ok(fourth >= 2000 && fourth <= 4000, String(fourth));
  });

  it('end with the last response or error after all attempts', async () => {
    const { response, sent } = await run(new Request(url), [status(503), status(503), status(503)], 2);
    assert.deepEqual([response.status, sent.length], [503, 3]);
    await assert.rejects(run(new Request(url), [lost, lost], 1), lost);
  });

  it('are not repeated after another error', async () => {
    for (const code of [400, 404, 409, 422, 500])
      assert.equal((await run(post(), [status(code)])).sent.length, 1, String(code));
  });

  it('wait for an attempt that is still being processed', async () => {
    const running = status(409, { 'Retry-After': '1' }, { code: 'idempotency_in_progress' });
    const { response } = await run(post(), [lost, running, status(201)]);
    assert.equal(response.status, 201);
    const conflict = status(409, {}, { code: 'idempotency_conflict' });
    assert.equal((await run(post(), [lost, conflict])).response.status, 409);
  });

  it('have deleted what a repeated DELETE no longer finds', async () => {
    const request = () => new Request(`${url}/7`, { method: 'DELETE' });
    assert.equal((await run(request(), [lost, status(404)])).response.status, 204);
    assert.equal((await run(request(), [status(404)])).response.status, 404);
  });

  it('stop waiting when they are aborted', async () => {
    const abort = new AbortController();
    const waiting = wait(3_600_000, abort.signal);
    abort.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    await assert.rejects(wait(3_600_000, abort.signal), /enough/);
  });
});
