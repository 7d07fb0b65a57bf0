import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryCounter } from '../../src/http/request/rate-limit.ts';
import type { ApiResponse, Client } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { readXml } from '../support/xml.ts';

describe('rate limits', () => {
  const rateLimit = { counter: memoryCounter(60), requests: 40, period: 60 };
  const { app } = useApp(anyDatabase, { rateLimit });

  const numbers = ({ headers }: ApiResponse) =>
    ['limit', 'remaining', 'reset'].map(name => Number(headers[`x-rate-limit-${name}`]));
  const passed = (responses: readonly ApiResponse[]) => responses.filter(({ status }) => status !== 429);
  const atOnce = (client: Client, count: number, path = '/clients?limit=1') =>
    Promise.all(Array.from({ length: count }, () => client.call('GET', path)));

  it('can be set for a tenant, are exact under concurrency, and return each remaining number once', async () => {
    const [narrow, wide] = [await app.newClient({ rateLimit: 10 }), await app.newClient()];
    const [few, many] = await Promise.all([atOnce(narrow, 60), atOnce(wide, 60)]);
    for (const [responses, limit] of [
      [few, 10],
      [many, 40],
    ] as const) {
      assert.equal(passed(responses).length, limit);
      const remaining = passed(responses)
        .map(response => numbers(response)[1] ?? -1)
        .sort((a, b) => b - a);
      assert.deepEqual(
        remaining,
        Array.from({ length: limit }, (_, index) => limit - 1 - index),
      );
      for (const response of responses) {
        const [told, , reset] = numbers(response);
        assert.equal(told, limit);
        assert.ok(reset !== undefined && reset > 0 && reset <= 60);
      }
    }
  });

  it('reject requests beyond them in every form, with the seconds to wait', async () => {
    const client = await app.newClient({ rateLimit: 3 });
    await atOnce(client, 3);
    const bare = await client.call('GET', '/clients');
    assert.deepEqual([bare.status, bare.body.code, numbers(bare)[1]], [429, 'rate_limit_exceeded', 0]);
    assert.match(String(bare.headers['retry-after']), /^[1-9]\d?$/);
    const { status, body } = await client.call('GET', '/clients?envelope=true');
    assert.deepEqual([status, body.status_code, body.response.code], [200, 429, 'rate_limit_exceeded']);
    assert.equal(typeof body.retry_after, 'number');
    const xml = await client.call('GET', '/clients.xml');
    assert.deepEqual([xml.status, readXml(xml.text)[0]], [429, 'error']);
    assert.match((await client.call('GET', '/clients?callback=f')).text, /"status_code": 429/);
    for (const [method, path] of [
      ['POST', '/clients'],
      ['DELETE', '/clients/1'],
      ['GET', '/nothing'],
      ['PATCH', '/clients'],
    ] as const)
      assert.equal((await client.call(method, path, { body: {} })).status, 429, method);
  });

  it('count every request of a user once, including failures, 304 and method overrides', async () => {
    const client = await app.newClient({ rateLimit: 30 });
    const first = await client.call('GET', '/clients');
    let [, remaining = 0] = numbers(first);
    const asked: [method: string, path: string, headers?: Record<string, string>][] = [
      ['GET', '/clients', { 'If-None-Match': String(first.headers.etag) }],
      ['HEAD', '/clients'],
      ['GET', '/nothing'],
      ['GET', '/clients?nonsense=1'],
      ['PATCH', '/clients'],
      ['POST', '/clients/1', { 'X-HTTP-Method-Override': 'DELETE' }],
      ['GET', '/clients?envelope=1'],
      ['GET', '/openapi.json'],
    ];
    const statuses = [];
    for (const [method, path, headers = {}] of asked) {
      const response = await client.call(method, path, { headers });
      statuses.push(response.status);
      assert.equal(numbers(response)[1], --remaining, `${method} ${path}`);
    }
    assert.deepEqual(statuses, [304, 200, 404, 400, 405, 404, 200, 200]);
  });

  it('of a user do not count requests without a token or with an invalid one', async () => {
    const client = await app.newClient({ rateLimit: 5 });
    await atOnce(client, 2);
    for (const token of ['', 'wrong']) {
      const response = await app.callAs({ ...client, token }, 'GET', '/clients');
      assert.equal(response.status, 401);
      assert.equal(numbers(response)[0], 40);
    }
    assert.equal(numbers(await client.call('GET', '/clients'))[1], 2);
  });
});
