import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { findJsonDefect } from '../../../src/core/json/strict.ts';
import { atOnce } from '../../../src/core/turns.ts';
import { cpuOf } from '../../support/cpu.ts';
import { codeOf, type Options, startApi } from '../support/api.ts';

describe('bodies', async () => {
  const api = await startApi();
  after(api.close);
  beforeEach(() => void api.calls.splice(0));

  const json = '{"company":"Hotel"}';
  const zip = { 'Content-Encoding': 'gzip' };
  const type = (value: string) => ({ 'Content-Type': value });
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map(part => Buffer.from(part as string)));

  const cases: [label: string, options: Options, want: number | string][] = [
    ['JSON', { body: json }, 200],
    ['JSON with a charset', { body: json, headers: type('application/json; charset=UTF-8') }, 200],
    ['JSON with a quoted charset', { body: json, headers: type('Application/JSON;charset="utf-8"') }, 200],
    ['JSON with another parameter', { body: json, headers: type('application/json; version=1; charset=utf-8') }, 200],
    ['JSON with a semicolon alone', { body: json, headers: type('application/json;') }, 200],
    ['JSON after a byte order mark', { body: `\ufeff${json}` }, 200],
    ['gzip', { body: gzipSync(json), headers: zip }, 200],
    ['the identity coding', { body: json, headers: { 'Content-Encoding': 'identity' } }, 200],
    ['the deepest nesting allowed', { body: nested(64) }, 200],
    ['the largest size allowed', { body: sized(1_048_576) }, 200],
    ['one level too deep', { body: nested(65) }, 'malformed_json'],
    ['a million brackets', { body: `{"a":${'['.repeat(1_000_000)}` }, 'malformed_json'],
    ['one byte too much', { body: sized(1_048_577) }, 'payload_too_large'],
    ['one byte too much after decompression', { body: gzipSync(sized(1_048_577)), headers: zip }, 'payload_too_large'],
    ['300 MB in 300 kB', { body: gzipSync(Buffer.alloc(300_000_000)), headers: zip }, 'payload_too_large'],
    ['another charset', { body: json, headers: type('application/json; charset=latin1') }, 'unsupported_media_type'],
    ['a form', { body: 'a=1', headers: type('application/x-www-form-urlencoded') }, 'unsupported_media_type'],
    ['text', { body: json, headers: type('text/plain') }, 'unsupported_media_type'],
    ['XML', { body: '<a/>', headers: type('application/xml') }, 'unsupported_media_type'],
    ['a JSON dialect', { body: json, headers: type('application/merge-patch+json') }, 'unsupported_media_type'],
    ['an empty type', { body: json, headers: type('') }, 'unsupported_media_type'],
    ['brotli', { body: brotliCompressSync(json), headers: { 'Content-Encoding': 'br' } }, 'unsupported_media_type'],
    ['deflate', { body: deflateSync(json), headers: { 'Content-Encoding': 'deflate' } }, 'unsupported_media_type'],
    ['two codings', { body: json, headers: { 'Content-Encoding': 'gzip, gzip' } }, 'unsupported_media_type'],
    ['no gzip at all', { body: json, headers: zip }, 'malformed_json'],
    ['half of a gzip', { body: gzipSync(json).subarray(0, 20), headers: zip }, 'malformed_json'],
    ['gzip of no JSON', { body: gzipSync('x'), headers: zip }, 'malformed_json'],
    ['two gzip members', { body: Buffer.concat([gzipSync('{"a":'), gzipSync('1}')]), headers: zip }, 'malformed_json'],
    [
      'bytes after the gzip',
      { body: Buffer.concat([gzipSync(json), Buffer.alloc(9)]), headers: zip },
      'malformed_json',
    ],
    ['nothing', { body: '' }, 'malformed_json'],
    ['blanks', { body: '  ' }, 'malformed_json'],
    ['half of an object', { body: '{"a":' }, 'malformed_json'],
    ['two objects', { body: '{}{}' }, 'malformed_json'],
    ['an array', { body: '[]' }, 'malformed_json'],
    ['a text', { body: '"a"' }, 'malformed_json'],
    ['null', { body: 'null' }, 'malformed_json'],
    ['a number', { body: '1' }, 'malformed_json'],
    ['NaN', { body: '{"a":NaN}' }, 'malformed_json'],
    ['a comment', { body: '{/**/}' }, 'malformed_json'],
    ['a raw line break in a text', { body: '{"a":"\n"}' }, 'malformed_json'],
    ['bytes that are not UTF-8', { body: bytes('{"a":"', [0xff], '"}') }, 'malformed_json'],
    ['an encoded surrogate', { body: bytes('{"a":"', [0xed, 0xa0, 0x80], '"}') }, 'malformed_json'],
    ['UTF-16', { body: Buffer.from(json, 'utf16le') }, 'malformed_json'],
    ['the same member twice', { body: '{"a":1,"a":2}' }, 'malformed_json'],
    ['the same member twice, once escaped', { body: '{"a":1,"\\u0061":2}' }, 'malformed_json'],
    ['the same member twice, deeper', { body: '{"x":[{"a":{"b":1,"c":[],"b":2}}]}' }, 'malformed_json'],
  ];
  for (const [label, options, want] of cases) {
    it(`${want === 200 ? 'takes' : `refuses with ${want}:`} ${label}`, async () => {
      const response = await api.call('/api/v1/clients', { method: 'POST', ...options });
      if (want === 200) {
        assert.equal(response.status, 200);
        assert.equal(api.calls.length, 1);
      } else {
        assert.equal(codeOf(response), want);
        assert.equal(api.calls.length, 0);
      }
      assert.equal(response.headers['accept-encoding'], 'gzip');
    });
  }

  it('refuses a body without a type', async () => {
    const response = await api.raw(
      `POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer good\r\nConnection: close\r\nAccept-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}`,
    );
    assert.match(response, /^HTTP\/1\.1 415 .*unsupported_media_type/s);
  });

  it('hands on the members as they are, __proto__ as an own member that changes nothing', async () => {
    await api.call('/api/v1/clients', {
      method: 'POST',
      body: '{"__proto__":{"company":"x"},"constructor":1,"a":{"b":[1.5,null]}}',
    });
    const [call] = api.calls;
    assert.ok(call);
    assert.deepEqual(Object.keys(call.body), ['__proto__', 'constructor', 'a']);
    assert.equal(Object.getPrototypeOf(call.body), Object.prototype);
    assert.equal('company' in call.body, false);
    assert.deepEqual(call.body.a, { b: [1.5, null] });
  });

  it('is not read where an operation takes none, and may be missing where it is optional', async () => {
    const path = '/api/v1/clients/7/apply?needed=1';
    assert.equal((await api.call('/api/v1/clients/7', { method: 'DELETE', body: '{' })).status, 204);
    assert.equal((await api.call(path, { method: 'POST' })).status, 200);
    assert.equal((await api.call(path, { method: 'POST', body: '' })).status, 200);
    assert.deepEqual(
      api.calls.map(({ body }) => body),
      [{}, {}, {}],
    );
    assert.equal(codeOf(await api.call(path, { method: 'POST', body: '{' })), 'malformed_json');
    assert.equal(
      codeOf(await api.call(path, { method: 'POST', body: '{}', headers: type('text/plain') })),
      'unsupported_media_type',
    );
  });

  for (const [label, members] of [
    ['unknown members', Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()],
    ['an array of objects', `"a":[${Array.from({ length: 80_000 }, (_, i) => `{"${i}":1}`)}]`],
    ['nested arrays', `"a":[${'[[[]]],'.repeat(120_000)}0]`],
  ] as const)
    it(`of a mebibyte are never parsed at once, so that other requests have their turn: ${label}`, async t => {
      const parser = t.mock.method(JSON, 'parse');
      const { status } = await api.call('/api/v1/clients', { method: 'POST', body: `{${members}}` });
      const longest = Math.max(...parser.mock.calls.map(({ arguments: [text] }) => String(text).length));
      assert.equal(status, 200);
      assert.ok(parser.mock.callCount() > 40);
      assert.ok(longest < 20_000, String(longest));
    });

  it('is read under the overridden method', async () => {
    const headers = { 'X-HTTP-Method-Override': 'PUT' };
    assert.equal((await api.call('/api/v1/clients/7', { method: 'POST', body: json, headers })).status, 200);
    assert.deepEqual(
      api.calls.map(({ operation, id, body }) => [operation, id, body]),
      [['clients_update', 7, JSON.parse(json)]],
    );
  });
});

const defectOf = (json: string, depth: number) => atOnce(findJsonDefect(json, depth));

describe('findJsonDefect', () => {
  it('objects to nothing that a serialiser writes', () => {
    fc.assert(fc.property(fc.jsonValue(), value => assert.equal(defectOf(JSON.stringify(value, null, 1), 100), null)));
  });

  it('is total and linear', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\a1 ') }), text => void defectOf(text, 5)));
    const cpu = cpuOf();
    defectOf('"\\'.repeat(500_000), 64);
    defectOf('{"a":'.repeat(200_000), 1_000_000);
    assert.ok(cpu() < 2000);
  });

  it('lets objects in one array have the same members', () => {
    assert.equal(defectOf('{"a":[{"b":1},{"b":1}],"b":{"a":1}}', 3), null);
    assert.equal(defectOf('["a","a"]', 3), null);
    assert.equal(defectOf('{"a":"b","c":"b","b":"a"}', 3), null);
  });
});
