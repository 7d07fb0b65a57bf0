import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startApi } from '../support/api.ts';

describe('CORS', async () => {
  const api = await startApi();
  after(api.close);

  it('responds to a preflight without a token', async () => {
    const { status, headers } = await api.call('/api/v1/clients/7', {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: 'https://x.test',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.match(String(headers['access-control-allow-methods']), /GET.*PUT.*DELETE/);
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(',');
    for (const name of [
      'authorization',
      'content-type',
      'x-http-method-override',
      'x-file-name',
      'x-file-visibility',
      'if-match',
      'if-none-match',
      'idempotency-key',
      'x-request-id',
    ]) {
      assert.ok(allowed.includes(name), name);
    }
  });

  it('exposes what scripts need of a response', async () => {
    const { headers } = await api.call('/api/v1/clients', { headers: { Origin: 'https://x.test' } });
    const exposed = String(headers['access-control-expose-headers']).split(',');
    for (const name of [
      'ETag',
      'Location',
      'Link',
      'X-Total-Count',
      'X-Request-Id',
      'Retry-After',
      'Deprecation',
      'X-Rate-Limit-Limit',
    ]) {
      assert.ok(exposed.includes(name), name);
    }
  });

  it('lets scripts read responses to rejected requests, but not to OPTIONS requests that are none of CORS', async () => {
    const rejected = await api.call('/api/v1/clients', { token: null, headers: { Origin: 'https://x.test' } });
    assert.equal(rejected.status, 401);
    assert.equal(rejected.headers['access-control-allow-origin'], '*');
    const unknown = await api.call('/api/v1/clients', { method: 'OPTIONS', headers: { Host: 'unknown.test' } });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.headers['access-control-allow-origin'], undefined);
  });

  it('shows the headers of a preflight in its envelope', async () => {
    const headers = { Origin: 'https://x.test', 'Access-Control-Request-Method': 'PUT' };
    const { text } = await api.call('/api/v1/clients?envelope=true', { method: 'OPTIONS', token: null, headers });
    const { status_code, access_control_allow_origin } = JSON.parse(text);
    assert.deepEqual([status_code, access_control_allow_origin], [204, '*']);
  });
});
