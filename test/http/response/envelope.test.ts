import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codeOf, type Options, startApi } from '../support/api.ts';

describe('envelope and JSONP', async () => {
  const api = await startApi();
  after(api.close);

  it('wrap errors from before authentication, with HTTP status 200', async () => {
    const cases: [path: string, options: Options, status: number, code: string][] = [
      ['/api/v1/clients?envelope=true', { headers: { Host: 'nobody.test' } }, 404, 'tenant_not_found'],
      ['/api/v1/clients?envelope=true', { token: null }, 401, 'missing_token'],
      ['/nothing?envelope=true', { token: null }, 401, 'missing_token'],
      ['/api/v1/clients?envelope=true', { method: 'POST', body: '{' }, 400, 'malformed_json'],
    ];
    for (const [path, options, status, code] of cases) {
      const response = await api.call(path, options);
      assert.equal(response.status, 200);
      const envelope = JSON.parse(response.text);
      assert.deepEqual([envelope.status_code, envelope.response.code], [status, code]);
      assert.equal(typeof envelope.x_rate_limit_remaining, 'number');
      assert.equal(envelope.x_request_id, response.headers['x-request-id']);
    }
    const script = await api.call('/api/v1/clients?callback=f', { token: null });
    assert.deepEqual([script.status, script.headers['content-type']], [200, 'application/javascript; charset=utf-8']);
    assert.match(script.text, /^\/\*\*\/f\({\n {2}"status_code": 401,/);
  });

  it('take the token from the address with a callback only, and never show it', async () => {
    const query = 'authorization_bearer=good';
    const response = await api.call(`/api/v1/clients?callback=f&${query}&_=123`, { token: null });
    assert.match(response.text, /"status_code": 200,/);
    assert.equal(response.headers['cache-control'], 'private, no-store');
    assert.equal(response.headers['referrer-policy'], 'no-referrer');
    assert.equal((await api.call('/api/v1/clients?callback=f')).headers['cache-control'], 'private, no-cache');
    assert.equal(codeOf(await api.call(`/api/v1/clients?${query}`, { token: null })), 'missing_token');
    assert.equal(
      codeOf(await api.call(`/api/v1/clients?${query}`, { method: 'POST', body: '{}', token: null })),
      'missing_token',
    );
    const twice = await api.call(`/api/v1/clients?callback=f&${query}`);
    assert.match(twice.text, /"status_code": 400,.*"code": "invalid_parameter"/s);
  });

  it('are refused plainly when the callback is none', async () => {
    const response = await api.call('/api/v1/clients?callback=alert(1)');
    assert.deepEqual([response.status, response.headers['content-type']], [400, 'application/json; charset=utf-8']);
    assert.equal(codeOf(response), 'invalid_callback');
  });
});
