import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Reply } from '../../src/core/call/reply.ts';
import { ApiError } from '../../src/core/errors.ts';
import { type Options, rows, startApi } from '../http/support/api.ts';

const empty: Reply = { status: 204, headers: {}, body: null };
/** Returns a function that throws an error. */
const raise = (error: Error) => () => {
  throw error;
};

const common: Readonly<Record<string, string>> = {
  'accept-encoding': 'gzip',
  'access-control-allow-origin': '*',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'Accept-Encoding',
};

/** What the engine says to a request, by the id of its record. */
const replies: Readonly<Record<number, () => Reply>> = {
  201: () => ({ ...rows, status: 201, headers: { location: '/api/v1/clients/201' } }),
  ...Object.fromEntries(
    [
      new ApiError('still_referenced'),
      new ApiError('precondition_failed'),
      new ApiError('rate_limit_exceeded'),
      new ApiError('service_unavailable'),
    ].map(error => [error.status, raise(error)]),
  ),
  500: raise(new Error('select secret from node_modules')),
};

describe('every response', async () => {
  const api = await startApi({
    respond: ({ id, operation }) => replies[id]?.() ?? (operation.endsWith('_delete') ? empty : rows),
  });
  after(api.close);

  const asked: [status: number, path: string, options?: Options][] = [
    [200, '/api/v1/clients'],
    [200, '/api/v1/clients.xml'],
    [200, '/api/v1/clients?callback=f'],
    [200, '/api/v1/openapi.json', { token: null }],
    [201, '/api/v1/clients/201', { method: 'PUT', body: '{}' }],
    [204, '/api/v1/clients/7', { method: 'DELETE' }],
    [204, '/api/v1/clients', { method: 'OPTIONS', token: null }],
    [304, '/api/v1/clients', { headers: { 'If-None-Match': '*' } }],
    [400, '/api/v1/clients?a=%ff'],
    [401, '/api/v1/clients', { token: null }],
    [403, '/api/v1/paysheets'],
    [403, '/api/v1/clients', { plain: true }],
    [404, '/api/v1/nothing.xml'],
    [404, '/api/v1/clients', { headers: { Host: 'nobody.test' } }],
    [405, '/api/v1/clients', { method: 'PATCH' }],
    [409, '/api/v1/clients/409', { method: 'DELETE' }],
    [410, '/api/v1/clients/7/old'],
    [412, '/api/v1/clients/412', { method: 'PUT', body: '{}' }],
    [413, '/api/v1/clients', { method: 'POST', body: 'x'.repeat(1_100_000) }],
    [414, `/api/v1/clients?a=${'x'.repeat(8200)}`],
    [415, '/api/v1/clients', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }],
    [422, '/api/v1/clients/7/time', { method: 'PUT', body: '{}' }],
    [429, '/api/v1/clients/429'],
    [500, '/api/v1/clients/500'],
    [500, '/api/v1/clients/500.xml'],
    [503, '/api/v1/clients/503'],
  ];
  for (const [status, path, options] of asked) {
    it(`with ${status} (${path.slice(0, 40)}) has the common headers, the quota and the request id`, async () => {
      const response = await api.call(path, options);
      assert.equal(response.status, status);
      for (const [name, value] of Object.entries(common)) {
        if (status === 204 && name.startsWith('access-control')) assert.equal(response.headers[name], '*');
        else assert.equal(response.headers[name], value, name);
      }
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(String(response.headers[`x-rate-limit-${name}`]), /^\d+$/);
      assert.match(String(response.headers['x-request-id']), /^[\da-f-]{36}$/);
      assert.equal(response.headers['x-powered-by'], undefined);
      const bodiless = status === 204 || status === 304;
      assert.equal(response.headers['content-encoding'], bodiless ? undefined : 'gzip');
      if (bodiless) assert.equal(response.text, '');
      assert.doesNotMatch(response.text, /secret|node_modules|\bat \//);
    });
  }

  it('repeats a safe request id in header and error body, and makes one in place of another', async () => {
    const ask = (id: string) => api.call('/api/v1/nothing', { headers: { 'X-Request-Id': id } });
    const response = await ask('trace-1/a+b=');
    assert.equal(response.headers['x-request-id'], 'trace-1/a+b=');
    assert.equal(JSON.parse(response.text).request_id, 'trace-1/a+b=');
    for (const id of ['', 'a b', '<x>', 'x'.repeat(129), '"'])
      assert.notEqual((await ask(id)).headers['x-request-id'], id);
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const options = { headers: { 'X-Request-Id': 'same' } };
    const [get, head] = [
      await api.call('/api/v1/clients', options),
      await api.call('/api/v1/clients', { ...options, method: 'HEAD' }),
    ];
    assert.equal(head.text, '');
    for (const name of ['etag', 'content-type', 'content-length', 'content-encoding']) {
      assert.equal(head.headers[name], get.headers[name], name);
      assert.ok(head.headers[name]);
    }
  });

  it('carries WWW-Authenticate with 401', async () => {
    for (const token of [null, 'bad']) {
      assert.equal((await api.call('/api/v1/clients', { token })).headers['www-authenticate'], 'Bearer');
    }
  });
});
