import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryCounter } from '../../../src/http/request/rate-limit.ts';
import { codeOf, type Options, startApi } from '../support/api.ts';

describe('rate limit', () => {
  const limited = (requests: number) => startApi({ rateLimit: { counter: memoryCounter(60), requests, period: 60 } });

  it('lets exactly the allowed requests of a user through, whatever their form and token', async () => {
    const api = await limited(100);
    const forms: [path: string, options: Options][] = [
      ['/api/v1/clients', {}],
      ['/api/v1/clients', { token: 'better' }],
      ['/api/v1/nothing', {}],
      ['/api/v1/clients.xml', { method: 'HEAD' }],
      ['/api/v1/clients', { headers: { 'X-Forwarded-For': '203.0.113.9', Host: 'DEMO.test.' } }],
      ['/api/v1/clients/1', { method: 'POST', body: '{}', headers: { 'X-HTTP-Method-Override': 'PUT' } }],
    ];
    const all = Array.from({ length: 300 }, (_, index) => forms[index % forms.length] as (typeof forms)[number]);
    const responses = await Promise.all(all.map(([path, options]) => api.call(path, options)));
    assert.equal(responses.filter(({ status }) => status !== 429).length, 100);
    const [refused] = responses.filter(({ status, text }) => status === 429 && text);
    assert.ok(refused);
    assert.equal(codeOf(refused), 'rate_limit_exceeded');
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.equal(refused.headers['x-rate-limit-remaining'], '0');
    assert.equal((await api.call('/api/v1/clients', { token: 'reader' })).status, 200);
    await api.close();
  });

  it('counts failed authentication by address, and lets users of that address pass', async () => {
    const api = await limited(3);
    const attempt = () => api.call('/api/v1/clients', { token: 'bad' });
    for (const want of [401, 401, 401, 429, 429]) assert.equal((await attempt()).status, want);
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    assert.equal((await api.call('/api/v1/openapi.json', { token: null })).status, 429);
    await api.close();
  });

  it('counts what is rejected before the token by address', async () => {
    const api = await limited(3);
    const rejected: [path: string, options: Options, status: number][] = [
      ['/api/v1/clients', { headers: { Host: 'nobody.test' } }, 404],
      ['/api/v1/clients', { plain: true }, 403],
      ['/api/v1/clients?a=%ff', {}, 400],
    ];
    for (const [index, [path, options, status]] of rejected.entries()) {
      const response = await api.call(path, options);
      assert.deepEqual([response.status, response.headers['x-rate-limit-remaining']], [status, String(2 - index)]);
    }
    assert.equal((await api.call('/api/v1/clients', { token: 'bad' })).status, 429);
    await api.close();
  });

  it('lets requests pass while its store fails', async () => {
    const broken = { consume: () => Promise.reject(new Error('store')), get: () => Promise.reject(new Error('store')) };
    const api = await startApi({ rateLimit: { counter: broken, requests: 3, period: 60 } });
    const response = await api.call('/api/v1/clients');
    assert.deepEqual([response.status, response.headers['x-rate-limit-remaining']], [200, '3']);
    assert.ok(api.logs.some(({ level }) => level === 40));
    await api.close();
  });
});
