import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { type Options, startApi } from '../support/api.ts';

describe('log', () => {
  it('has one line for each request, and no token on any line, whatever happens', async () => {
    const canary = 'canary0123456789';
    const api = await startApi({
      answer: () => {
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
      const answer = await api.call(path, options);
      assert.ok(!answer.text.includes(canary) && !JSON.stringify(answer.headers).includes(canary), path);
    }
    assert.ok(!JSON.stringify(api.logs).includes(canary));
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

  it('tells the status of a response that nobody is there to read', async () => {
    const gone = Promise.withResolvers<void>();
    const api = await startApi({
      answer: async call => {
        const signal = call.leave();
        api.agent.destroy();
        if (!signal.aborted) await once(signal, 'abort');
        setImmediate(gone.resolve);
        return { status: 204, headers: {}, body: null };
      },
    });
    await assert.rejects(api.call('/api/v1/clients/7', { method: 'DELETE' }));
    await gone.promise;
    await api.close();
    assert.deepEqual(
      api.logs.filter(({ ms }) => ms !== undefined).map(({ status }) => status),
      [204],
    );
  });
});
