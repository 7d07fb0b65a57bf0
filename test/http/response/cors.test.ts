import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startApi } from '../support/api.ts';

describe('CORS', async () => {
  const api = await startApi();
  after(api.close);

  it('answers a preflight without a token', async () => {
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

  it('exposes what scripts need of an answer', async () => {
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
});
