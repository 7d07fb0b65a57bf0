import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ApiError } from '../../../src/core/errors.ts';
import { codeOf, type Options, startApi } from '../support/api.ts';

/** What is wrong with a request, each with what it takes to be so; the checks come in this order. */
const put = (body: string, headers = {}): Options => ({ method: 'PUT', body, headers });
const post = (options: Options): Options => ({ method: 'POST', body: '{}', ...options });
const nobody = { Host: 'nobody.test' };
const override = { 'X-HTTP-Method-Override': 'PATCH' };
const text = { 'Content-Type': 'text/plain' };

const pairs: [label: string, path: string, options: Options, want: string][] = [
  ['https before the tenant', '/api/v1/clients', { plain: true, headers: nobody }, 'https_required'],
  ['https before the host', '/api/v1/clients', { plain: true, headers: { Host: 'a@b' } }, 'https_required'],
  ['https before a preflight', '/api/v1/clients', { plain: true, method: 'OPTIONS' }, 'https_required'],
  ['the host before the tenant', '/api/v1/clients', { headers: { Host: 'a@b' } }, 'invalid_parameter'],
  ['the tenant before a preflight', '/api/v1/clients', { method: 'OPTIONS', headers: nobody }, 'tenant_not_found'],
  [
    'the tenant before the override',
    '/api/v1/clients',
    post({ headers: { ...nobody, ...override } }),
    'tenant_not_found',
  ],
  [
    'the override before the token',
    '/api/v1/clients',
    post({ headers: override, token: null }),
    'invalid_method_override',
  ],
  ['the callback before the token', '/api/v1/clients?callback=1', { token: null }, 'invalid_callback'],
  ['the token before the path', '/api/v1/nothing', { token: null }, 'missing_token'],
  ['the token before a path outside', '/nothing', { token: null }, 'missing_token'],
  ['the token before the method', '/api/v1/clients', { method: 'PATCH', token: 'bad' }, 'invalid_token'],
  ['the path before the method', '/api/v1/nothing', { method: 'PATCH' }, 'not_found'],
  ['the path before the read-only user', '/api/v1/nothing', post({ token: 'reader' }), 'not_found'],
  ['the method before the module', '/api/v1/paysheets', { method: 'DELETE' }, 'method_not_allowed'],
  [
    'the method before the read-only user',
    '/api/v1/clients',
    { method: 'PATCH', token: 'reader' },
    'method_not_allowed',
  ],
  ['the module before the read-only user', '/api/v1/paysheets', post({ token: 'reader' }), 'module_disabled'],
  ['the module before the parameters', '/api/v1/paysheets?x=1', {}, 'module_disabled'],
  ['the read-only user before the body', '/api/v1/clients', post({ token: 'reader', headers: text }), 'read_only_user'],
  [
    'the body type before its size',
    '/api/v1/clients',
    post({ body: 'x'.repeat(1_100_000), headers: text }),
    'unsupported_media_type',
  ],
  ['the body size before its syntax', '/api/v1/clients', post({ body: 'x'.repeat(1_100_000) }), 'payload_too_large'],
  ['the body before the parameters', '/api/v1/clients/7/time?x=1', put('{'), 'malformed_json'],
  ['the parameters before the record', '/api/v1/clients/404/time?x=1', put('{}'), 'unknown_field'],
  ['the record before the fields', '/api/v1/clients/404/time', put('{}'), 'not_found'],
  ['the fields at last', '/api/v1/clients/7/time', put('{}'), 'validation_failed'],
];

describe('order of checks', async () => {
  const api = await startApi({
    respond: ({ id }) => {
      if (id === 404) throw new ApiError('not_found');
      return { status: 200, headers: {}, body: null };
    },
  });
  after(api.close);

  for (const [label, path, options, want] of pairs) {
    it(`is ${label}`, async () => assert.equal(codeOf(await api.call(path, options)), want));
  }

  it('ends with the name of the nearest path, if there is none', async () => {
    const message = async (path: string) => JSON.parse((await api.call(path)).text).message;
    assert.equal(await message('/api/v1/client/7'), 'There is no such path. Did you mean /clients/{id}?');
    for (const path of ['/api/v1/quite-another', '/api/v1', '/api/v1/', '/api/v1/x'])
      assert.equal(await message(path), 'There is no such path.');
    for (const path of ['/clients', '/api', '/api/v2/clients'])
      assert.equal(await message(path), 'There is no such path. Paths of the API begin with /api/v1.');
  });

  it('is a preflight before the override', async () => {
    assert.equal((await api.call('/api/v1/clients', { method: 'OPTIONS', headers: override })).status, 204);
  });

  it('is a preflight before the callback', async () => {
    assert.equal((await api.call('/api/v1/clients?callback=1', { method: 'OPTIONS' })).status, 204);
  });

  it('is the token before the limit of the user, and the limit before the path', async () => {
    const headers = { Host: 'other.test' };
    for (const remaining of ['2', '1', '0']) {
      const { headers: got } = await api.call('/api/v1/clients', { headers });
      assert.equal(got['x-rate-limit-remaining'], remaining);
    }
    assert.equal(codeOf(await api.call('/api/v1/clients', { headers, token: 'bad' })), 'invalid_token');
    assert.equal(codeOf(await api.call('/api/v1/nothing', { headers })), 'rate_limit_exceeded');
  });
});
