import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseId } from '../../../src/core/ids.ts';
import { createFinder } from '../../../src/http/operation/match.ts';
import type { Operation } from '../../../src/http/operation/operation.ts';
import { traitsOf } from '../../../src/http/operation/traits.ts';

const operation = (method: string, path: string, ...ids: string[]): Operation => ({
  ...traitsOf({}),
  operationId: `${method} ${path}`,
  method,
  path,
  takes: null,
  idNames: new Set(ids),
  queryNames: new Set(),
  switchNames: [],
  headerNames: [],
});

const find = createFinder([
  operation('get', '/clients'),
  operation('post', '/clients'),
  operation('get', '/clients/{id}', 'id'),
  operation('delete', '/clients/{id}', 'id'),
  operation('put', '/clients/status'),
  operation('get', '/clients/{id}/status-map', 'id'),
  operation('get', '/forms/{id}/attributes/{attribute_id}', 'id', 'attribute_id'),
  operation('get', '/files/public/{path}'),
]);

describe('createFinder', () => {
  const found: [method: string, path: string, operation: string, params: object][] = [
    ['GET', '/clients', 'get /clients', {}],
    ['HEAD', '/clients', 'get /clients', {}],
    ['GET', '/clients/7', 'get /clients/{id}', { id: 7 }],
    ['GET', '/clients/9007199254740991', 'get /clients/{id}', { id: Number.MAX_SAFE_INTEGER }],
    ['PUT', '/clients/status', 'put /clients/status', {}],
    ['GET', '/clients/7/status-map', 'get /clients/{id}/status-map', { id: 7 }],
    ['GET', '/forms/1/attributes/2', 'get /forms/{id}/attributes/{attribute_id}', { id: 1, attribute_id: 2 }],
    ['GET', '/files/public/a%20b', 'get /files/public/{path}', { path: 'a b' }],
    ['GET', `/files/public/${'%C3%A4'.repeat(1000)}`, 'get /files/public/{path}', { path: 'ä'.repeat(1000) }],
  ];
  for (const [method, path, want, params] of found) {
    it(`finds ${method} ${path.slice(0, 60)}`, () => {
      const found = find(method, path);
      assert.ok(found.operation);
      assert.equal(found.operation.operationId, want);
      assert.deepEqual({ ...found.params }, params);
    });
  }

  const missing = [
    '',
    '/',
    'clients',
    '/Clients',
    '/clients/',
    '//clients',
    '/clients/7/',
    '/clients/7/x',
    '/clients/abc',
    '/clients/0',
    '/clients/-1',
    '/clients/007',
    '/clients/1.0',
    '/clients/1e3',
    '/clients/0x10',
    '/clients/+1',
    '/clients/%201',
    '/clients/1%2F2',
    '/clients/1;x',
    '/clients/1#x',
    '/clients/1?x',
    '/clients/%',
    '/clients/%ff',
    '/clients/9007199254740992',
    '/clients/99999999999999999999',
    '/clients/:id',
    '/clients/{id}',
    '/clients/\u0661',
    '/clients/../clients',
    'https://demo.test/clients',
    '*',
    '/files/public/',
    '/files/public/a%00b',
    `/files/public/${'a'.repeat(1001)}`,
    `/files/public/${'a'.repeat(5000)}`,
  ];
  for (const path of missing) {
    it(`has nothing at ${JSON.stringify(path.slice(0, 40))} of ${path.length} characters`, () =>
      assert.deepEqual(find('GET', path), { operation: null, allow: '' }));
  }

  const others: [method: string, path: string, allow: string][] = [
    ['PATCH', '/clients', 'GET, HEAD, POST'],
    ['DELETE', '/clients', 'GET, HEAD, POST'],
    ['PUT', '/clients/7', 'GET, HEAD, DELETE'],
    ['TRACE', '/clients/7', 'GET, HEAD, DELETE'],
    ['get', '/clients', 'GET, HEAD, POST'],
    ['constructor', '/clients', 'GET, HEAD, POST'],
    ['GET', '/clients/status', 'PUT'],
    ['HEAD', '/clients/status', 'PUT'],
  ];
  for (const [method, path, allow] of others) {
    it(`has no ${method} ${path}, and lists what there is`, () => {
      assert.deepEqual(find(method, path), { operation: null, allow });
    });
  }
});

describe('parseId', () => {
  it('takes the one decimal form of a number', () => {
    for (const text of ['1', '10', '9007199254740991']) assert.equal(parseId(text), Number(text));
    for (const text of ['', '0', '01', ' 1', '1 ', '1\n', '-1', '1.0', '9007199254740992', '٣'])
      assert.equal(parseId(text), null);
  });
});
