import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { codeOf, type Options, startApi } from './support/api.ts';

describe('until the service is ready', async () => {
  let complete = false;
  const api = await startApi({ ready: () => complete });
  after(api.close);

  const requests: [path: string, options?: Options][] = [
    ['/'],
    ['/api/v1/clients'],
    ['/api/v1/clients', { token: null }],
    ['/api/v1/clients', { token: 'bad' }],
    ['/api/v1/clients', { method: 'POST', body: '{}' }],
    ['/api/v1/clients', { method: 'OPTIONS', token: null }],
    ['/api/v1/clients', { headers: { Host: 'nobody.test' } }],
    ['/api/v1/clients?callback=1'],
    ['/api/v1/docs', { token: null }],
    ['/api/v1/openapi.json', { token: null }],
    ['/api/v1/nothing'],
    ['/nothing'],
  ];
  for (const [path, options] of requests)
    it(`${options?.method ?? 'GET'} ${path} (${JSON.stringify(options ?? {})}) is 503 with Retry-After`, async () => {
      const response = await api.call(path, options);
      assert.equal(response.status, 503);
      assert.equal(response.headers['retry-after'], '2');
      const { code, message, description, request_id } = JSON.parse(response.text);
      assert.deepEqual([code, message], ['service_unavailable', 'The service is starting.']);
      assert.ok(description && request_id);
    });

  it('each is logged in a line without a stack, beside that of the request', () => {
    const [warning, line, ...rest] = api.logs.slice(-2);
    assert.deepEqual([warning?.msg, warning?.err, line?.status], ['The service is starting.', undefined, 503]);
    assert.deepEqual(rest, []);
    assert.equal(api.logs.length, 2 * requests.length);
  });

  it('the response has the form that its request asks for', async () => {
    const xml = await api.call('/api/v1/clients.xml');
    assert.match(xml.text, /<error>.*<code>service_unavailable<\/code>/s);
    const enveloped = JSON.parse((await api.call('/api/v1/clients?envelope=true')).text);
    assert.deepEqual([enveloped.status_code, enveloped.retry_after], [503, 2]);
  });

  it('plain HTTP is rejected first', async () => {
    assert.equal(codeOf(await api.call('/api/v1/clients', { plain: true })), 'https_required');
  });

  it('then requests are served', async () => {
    complete = true;
    assert.equal((await api.call('/api/v1/clients')).status, 200);
  });
});
