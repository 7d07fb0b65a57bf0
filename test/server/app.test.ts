import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Options, startApi } from '../http/support/api.ts';

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

describe('every answer', async () => {
  const api = await startApi();
  after(api.close);

  const answers: [status: number, path: string, options?: Options][] = [
    [200, '/api/v1/clients'],
    [200, '/api/v1/clients.xml'],
    [200, '/api/v1/clients?callback=f'],
    [200, '/api/v1/openapi.json', { token: null }],
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
    [413, '/api/v1/clients', { method: 'POST', body: 'x'.repeat(1_100_000) }],
    [414, `/api/v1/clients?a=${'x'.repeat(8200)}`],
    [415, '/api/v1/clients', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }],
    [422, '/api/v1/clients/7/time', { method: 'PUT', body: '{}' }],
  ];
  for (const [status, path, options] of answers) {
    it(`with ${status} (${path.slice(0, 40)}) has the common headers, the quota and the request id`, async () => {
      const answer = await api.call(path, options);
      assert.equal(answer.status, status);
      for (const [name, value] of Object.entries(common)) {
        if (status === 204 && name.startsWith('access-control')) assert.equal(answer.headers[name], '*');
        else assert.equal(answer.headers[name], value, name);
      }
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(String(answer.headers[`x-rate-limit-${name}`]), /^\d+$/);
      assert.match(String(answer.headers['x-request-id']), /^[\da-f-]{36}$/);
      assert.equal(answer.headers['x-powered-by'], undefined);
      const bodiless = status === 204 || status === 304;
      assert.equal(answer.headers['content-encoding'], bodiless ? undefined : 'gzip');
      if (bodiless) assert.equal(answer.text, '');
    });
  }

  it('repeats a safe request id in header and error body, and makes one in place of another', async () => {
    const ask = (id: string) => api.call('/api/v1/nothing', { headers: { 'X-Request-Id': id } });
    const answer = await ask('trace-1/a+b=');
    assert.equal(answer.headers['x-request-id'], 'trace-1/a+b=');
    assert.equal(JSON.parse(answer.text).request_id, 'trace-1/a+b=');
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
