import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import type { ApiResponse, Asked } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { bodyFor, type Operation, operations, pathOf, requiredHeaders } from '../support/operations.ts';
import { some } from '../support/runs.ts';
import { Scene } from '../support/scene.ts';
import { asTexts, readXml, readXmlListing } from '../support/xml.ts';

const never = 9_007_199_254_740_991;
const requestId = 'forms-of-one-response';

/** All but a clock, which goes on between two readings (test/resources/sandbox). */
const jsonReadings = operations.filter(
  ({ operationId, method, respondsWithJson }) =>
    method === 'GET' && respondsWithJson && operationId !== 'sandbox_readClock',
);

/** Returns the headers of a response that an envelope repeats, without those that differ between requests. */
const repeated = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name))
      .filter(([name]) => !name.startsWith('x-rate-limit'))
      .map(([name, value]) => [name, String(value)]),
  );

describe('in every form', () => {
  // A separate app, for its log.
  const { client, app } = useApp(anyDatabase, {}, { sandbox: true });
  const scene = new Scene(client);

  const call = (method: string, path: string, { headers, ...asked }: Asked = {}) =>
    client.call(method, path, { ...asked, headers: { 'X-Request-Id': requestId, ...headers } });
  const addressOf = async (operation: Operation): Promise<string> =>
    operation.placeholders.length === 0
      ? operation.path
      : scene.pathOf(operation, operation.resource === 'files' ? await scene.idOf('files') : await idOf(operation));
  const idOf = async ({ resource, parent }: Operation) =>
    scene.idOf(parent && !parent.record ? parent.resource : resource);
  const formOf = (address: string, extension: string, query = '') => {
    const [path = '', own] = address.split('?');
    const parts = [own, query].filter(Boolean).join('&');
    return `${path}${extension}${parts ? `?${parts}` : ''}`;
  };

  /** Returns the URL of a record that does not exist; an upsert does not create it. An extension is part of an external id. */
  const nobody = (operation: Operation): string =>
    formOf(pathOf(operation, never), '', operation.verb === 'upsert' ? 'create=false' : '');

  for (const [index, operation] of jsonReadings.entries()) {
    it(`${operation.operationId} is the same to GET and HEAD, in JSON, XML, an envelope and a call`, async () => {
      const address = await addressOf(operation);
      const bare = await call('GET', address);
      assert.ok(bare.status < 500, bare.text);
      assert.equal(bare.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(bare.text, JSON.stringify(bare.body, null, 2));
      for (const name of requiredHeaders(operation, bare.status)) assert.ok(bare.headers[name], name);

      const json = await call('GET', formOf(address, '.json'));
      assert.deepEqual([json.status, json.text, json.headers.etag], [bare.status, bare.text, bare.headers.etag]);

      const head = await call('HEAD', address);
      assert.deepEqual([head.status, head.text, repeated(head)], [bare.status, '', repeated(bare)]);
      if (head.headers['content-length']) assert.equal(head.headers['content-length'], bare.headers['content-length']);

      const { status, body, headers } = await call('GET', formOf(address, '', 'envelope=true'));
      assert.deepEqual([status, body.status_code, body.response], [200, bare.status, bare.body]);
      assert.equal(headers.etag, undefined);
      for (const [name, value] of Object.entries(repeated(bare)))
        assert.equal(String(body[name.replaceAll('-', '_')]), value, name);
      for (const name of ['limit', 'remaining', 'reset']) assert.equal(typeof body[`x_rate_limit_${name}`], 'number');

      // The token in the URL must not be logged, as a later test asserts.
      const query = `callback=a.f&_=1&authorization_bearer=${client.token}`;
      const script = await app.callAs({ ...client, token: '' }, 'GET', formOf(address, '', query), {
        headers: { 'X-Request-Id': requestId },
      });
      assert.equal(script.headers['content-type'], 'application/javascript; charset=utf-8');
      assert.match(script.text, /^\/\*\*\/a\.f\(/);
      assert.equal(script.headers['cache-control'], 'private, no-store');
      const called: { status_code: number; response: unknown }[] = [];
      runInNewContext(script.text, { a: { f: (given: (typeof called)[0]) => called.push(given) } });
      const [told] = JSON.parse(JSON.stringify(called));
      assert.deepEqual([script.status, told.status_code, told.response], [200, bare.status, bare.body]);

      const xml = await call('GET', formOf(address, '.xml'));
      assert.deepEqual([xml.status, xml.headers['content-type']], [bare.status, 'application/xml; charset=utf-8']);
      const value = Array.isArray(bare.body) ? readXmlListing(xml.text) : readXml(xml.text)[1];
      assert.deepEqual(value, asTexts(bare.body));
      const [root, wrapped] = readXml((await call('GET', formOf(address, '.xml', 'envelope=true'))).text);
      assert.deepEqual([root, (wrapped as { status_code: string }).status_code], ['envelope', String(bare.status)]);
    });

    it(`${operation.operationId} is 304 for its own tag, in every way of writing it`, async () => {
      const address = await addressOf(operation);
      const [bare, plain] = [
        await call('GET', address),
        await call('GET', address, { headers: { 'Accept-Encoding': 'identity' } }),
      ];
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(plain.text, bare.text);
      for (const { headers } of [bare, plain]) {
        assert.match(String(headers.vary), /\bAccept-Encoding\b/);
        assert.equal(headers['cache-control'], 'private, no-cache');
        assert.equal(headers['accept-encoding'], 'gzip');
      }
      if (bare.status !== 200) return assert.equal(bare.headers.etag, undefined);
      const [tag, zipped] = [String(plain.headers.etag), String(bare.headers.etag)];
      assert.equal(zipped, `${tag.slice(0, -1)}-gzip"`);
      const same = [tag, zipped, `W/${tag}`, `W/${zipped}`, `"x", ${tag}`, `W/"y" , ${zipped},"z"`, '*'];
      const asked = ['GET', 'HEAD'].flatMap(method => same.map(value => [method, value] as const));
      for (const [method, value] of some(asked, 5, index)) {
        const { status, headers, text } = await call(method, address, { headers: { 'If-None-Match': value } });
        assert.deepEqual([status, text, headers.etag], [304, '', zipped], value);
        assert.match(String(headers['x-rate-limit-remaining']), /^\d+$/);
        assert.equal(headers['content-type'], undefined);
      }
      for (const value of some(['"x"', `${tag.slice(0, -1)}x"`, tag.slice(1, -1), ''], 1, index))
        assert.equal((await call('GET', address, { headers: { 'If-None-Match': value } })).status, 200, value);
      const { status, body } = await call('GET', formOf(address, '', 'envelope=true'), {
        headers: { 'If-None-Match': tag },
      });
      assert.deepEqual([status, body.status_code, body.response, body.etag], [200, 304, null, zipped]);
    });
  }

  for (const [index, operation] of operations.entries()) {
    const address = nobody(operation);
    const writes = operation.method === 'POST' || operation.method === 'PUT';
    const asked = writes ? { body: bodyFor(operation, never) } : {};

    it(`${operation.operationId} reports errors before authentication in an envelope and in XML`, async () => {
      const cases: [code: string, status: number, headers: Record<string, string>][] = [
        ['https_required', 403, { 'X-Forwarded-Proto': 'http' }],
        ['tenant_not_found', 404, { Host: 'nobody.test' }],
        ...(operation.open
          ? []
          : [['missing_token', 401, { Authorization: '' }] as [string, number, Record<string, string>]]),
      ];
      for (const [code, status, headers] of cases) {
        const { status: outer, body } = await call(operation.method, formOf(address, '', 'envelope=true'), {
          ...asked,
          headers,
        });
        assert.deepEqual([outer, body.status_code, body.response.code], [200, status, code]);
        assert.equal(body.www_authenticate, status === 401 ? 'Bearer' : undefined);
        const xml = await call(operation.method, formOf(address, '.xml'), { ...asked, headers });
        const [root, error] = readXml(xml.text);
        assert.deepEqual([xml.status, root, (error as { code: string }).code], [status, 'error', code]);
      }
    });

    it(`${operation.operationId} rejects other extensions and unknown parameters`, async () => {
      for (const extension of some(['.tsv', '.JSON', '.xml.json', '.', '/'], 2, index))
        assert.equal(
          (await call(operation.method, formOf(address, extension), asked)).body?.code,
          'not_found',
          extension,
        );
      const { status, body } = await call(operation.method, formOf(address, '', 'nonsens=1'), asked);
      assert.deepEqual([status, body.code], [400, 'unknown_field']);
      assert.match(body.message, /nonsens/);
    });
  }

  // All but a clock, which takes the same time again only within a second.
  const overridden = operations.filter(
    ({ operationId, method }) => (method === 'PUT' || method === 'DELETE') && operationId !== 'sandbox_moveClock',
  );
  for (const [index, operation] of overridden.entries()) {
    it(`${operation.operationId} can be sent as a POST with X-HTTP-Method-Override, and as no other method`, async () => {
      const address = nobody(operation);
      const asked = operation.method === 'PUT' ? { body: bodyFor(operation, never) } : {};
      const direct = await call(operation.method, address, asked);
      for (const value of [operation.method, operation.method.toLowerCase()]) {
        const headers = { 'X-HTTP-Method-Override': value };
        const { status, text } = await call('POST', address, { ...asked, headers });
        assert.deepEqual([status, text], [direct.status, direct.text]);
        for (const method of some(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'], 1, index))
          assert.equal((await call(method, address, { headers })).status, 400, method);
      }
    });
  }

  it('no token in a URL was logged', () => {
    assert.ok(app.logs.length > 1000);
    assert.ok(!app.logs.some(line => line.includes(client.token)));
  });
});

describe('every path', () => {
  const { client } = useApp(anyDatabase);

  for (const path of new Set(operations.map(operation => operation.path))) {
    const own = operations.filter(operation => operation.path === path);
    it(`${path} is 405 with Allow for the methods that it does not have`, async () => {
      const has = new Set<string>(own.map(({ method }) => method));
      if (has.has('GET')) has.add('HEAD');
      const address = path.replaceAll(/\{[^}]+\}/g, '1');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY', 'LOCK']) {
        if (has.has(method)) continue;
        const { status, headers, body } = await client.call(method, address);
        assert.equal(status, 405, method);
        if (method !== 'HEAD') assert.equal(body.code, 'method_not_allowed', method);
        assert.deepEqual(String(headers.allow).split(', ').sort(), [...has].sort(), method);
      }
      const { status, headers } = await client.call('OPTIONS', address, {
        headers: { Origin: 'https://a.test', 'Access-Control-Request-Method': 'PUT', Authorization: '' },
      });
      assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*']);
    });
  }
});
