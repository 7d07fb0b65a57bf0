import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { Reply } from '../../../src/core/call/reply.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Finished } from '../../../src/http/request/log.ts';
import { type Options, rows, startApi } from '../support/api.ts';

describe('log', () => {
  it('has one line for each request, and no token on any line or in what metrics and rows are made of, whatever happens', async () => {
    const canary = 'canary0123456789';
    const observed: Finished[] = [];
    const api = await startApi({
      observe: request => void observed.push(request),
      respond: () => {
        throw new Error('failed');
      },
    });
    const query = `callback=f&authorization_bearer=${canary}`;
    const headers = { Authorization: `Bearer ${canary}` };
    const shapes: [path: string, options?: Options][] = [
      [`/api/v1/clients?${query}`, { token: null }],
      [`/api/v1/clients?authorization_bearer=${canary}`],
      [`/api/v1/clients?callback=f&authorization_bearer=good&x=${canary}`, { token: null }],
      [`/api/v1/nothing?${query}`, { token: null }],
      [`/nothing?${query}`, { token: null }],
      [`/api/v1/clients?${query}`, { method: 'POST', body: '{}', token: null }],
      [`/api/v1/clients.xml?${query}`, { token: null }],
      [`/api/v1/clients?callback=1&authorization_bearer=${canary}`, { token: null }],
      [`/api/v1/clients?${query}&authorization_bearer=x`, { token: null }],
      [`/api/v1/clients?${query}&a=%ff`, { token: null }],
      [`/api/v1/clients?${query}`, { plain: true, token: null }],
      [`/api/v1/clients?${query}&a=${'x'.repeat(9000)}`, { token: null }],
      ['/api/v1/clients', { headers }],
      ['/api/v1/clients', { headers: { ...headers, Host: 'nobody.test' } }],
    ];
    for (const [path, options] of shapes) {
      const response = await api.call(path, options);
      assert.ok(!response.text.includes(canary) && !JSON.stringify(response.headers).includes(canary), path);
    }
    assert.ok(!JSON.stringify([api.logs, observed]).includes(canary));
    assert.equal(observed.length, shapes.length);
    assert.equal(api.logs.filter(({ ms }) => ms !== undefined).length, shapes.length);
    await api.close();
  });

  it('tells tenant, user, operation, status and time of a request', async () => {
    const api = await startApi();
    await api.call('/api/v1/clients/7?envelope=true', { method: 'DELETE', token: 'reader' });
    const { request_id, ms, level, time, pid, hostname, ...rest } = api.logs.at(-1) ?? {};
    assert.deepEqual(rest, {
      method: 'DELETE',
      path: '/api/v1/clients/7',
      operation: 'clients_delete',
      tenant: 'demo',
      user: 8,
      status: 405,
    });
    assert.equal(typeof ms, 'number');
    assert.equal(typeof request_id, 'string');
    await api.close();
  });

  const outcomes: readonly [label: string, respond: () => Reply][] = [
    ['a response', () => ({ status: 204, headers: {}, body: null })],
    ['a long response', () => rows],
    [
      'an error',
      () => {
        throw new ApiError('service_unavailable');
      },
    ],
  ];
  for (const [label, outcome] of outcomes)
    it(`tells 499 if the client has left before ${label} began, and counts it so`, async () => {
      const observed: Finished[] = [];
      const gone = Promise.withResolvers<void>();
      const api = await startApi({
        observe: request => void observed.push(request),
        respond: async call => {
          const signal = call.leave();
          api.agent.destroy();
          if (!signal.aborted) await once(signal, 'abort');
          setImmediate(gone.resolve);
          return outcome();
        },
      });
      await assert.rejects(api.call('/api/v1/clients/7', { method: 'DELETE' }));
      await gone.promise;
      await api.close();
      assert.deepEqual(
        api.logs.filter(({ ms }) => ms !== undefined).map(({ status }) => status),
        [499],
      );
      assert.deepEqual(
        observed.map(({ status, code }) => [status, code]),
        [[499, null]],
      );
    });

  it('tells 499 if the client leaves while it sends its body', async () => {
    const observed = Promise.withResolvers<Finished>();
    const api = await startApi({ observe: observed.resolve });
    const socket = connect({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.write('POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer good\r\n');
    socket.write('Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"', () => socket.destroy());
    assert.equal((await observed.promise).status, 499);
    await api.close();
  });
});
