import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { cpuOf } from '../support/cpu.ts';
import { type Options, startApi } from './support/api.ts';

const long = (text: string, times: number) => text.repeat(times);

const requests: [label: string, path: string, options?: Options][] = [
  ['path traversal', '/api/v1/../../etc/passwd'],
  ['encoded path traversal', '/api/v1/%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
  ['backslashes', '/api/v1\\clients\\1'],
  ['a NUL in the path', '/api/v1/clients/%00'],
  ['bad escapes in the path', '/api/v1/clients/%zz%'],
  ['overlong UTF-8 in the path', '/api/v1/clients/%c0%ae'],
  ['a surrogate in the path', '/api/v1/clients/%ed%a0%80'],
  ['only slashes', long('/', 3000)],
  ['many segments', `/api/v1${long('/clients', 900)}`],
  ['an empty path', '/'],
  ['placeholders as they are', '/api/v1/clients/{id}'],
  ['a member of every object as a path', '/api/v1/constructor/__proto__'],
  [
    'a member of every object as a parameter',
    '/api/v1/clients/7/time?__proto__=1&constructor=1',
    { method: 'PUT', body: '{}' },
  ],
  ['brackets in parameters', '/api/v1/clients?a[b][c]=1&[]=2&a[=3&]=4'],
  ['many parameters', `/api/v1/clients?${long('a=1&', 1900)}`],
  ['only separators', `/api/v1/clients?${long('&=', 3500)}`],
  ['an injection', "/api/v1/clients?company='%20or%201=1;drop%20table%20clients--"],
  ['a script as a callback', '/api/v1/clients?callback=%3Cscript%3E'],
  ['line breaks in a callback', '/api/v1/clients?callback=a%0d%0aSet-Cookie:x'],
  ['a Flash file as a callback', `/api/v1/clients?callback=CWS${long('hC0A7iIIn7nIf', 20)}`],
  ['line breaks in a parameter', '/api/v1/clients?a=%0d%0aSet-Cookie:%20x=1'],
  ['a huge token', '/api/v1/clients', { token: long('a', 30_000) }],
  [
    'an Authorization header of blanks',
    '/api/v1/clients',
    { headers: { Authorization: `Bearer${long(' ', 20_000)}x` } },
  ],
  ['strange If-None-Match', '/api/v1/clients', { headers: { 'If-None-Match': long('"', 20_000) } }],
  ['endless If-None-Match', '/api/v1/clients', { headers: { 'If-None-Match': long('W/"x",', 3000) } }],
  ['strange Accept-Encoding', '/api/v1/clients', { headers: { 'Accept-Encoding': long('gzip;q=,;', 2000) } }],
  [
    'strange Content-Type',
    '/api/v1/clients',
    { method: 'POST', body: '{}', headers: { 'Content-Type': `application/json;${long(' ', 20_000)}x` } },
  ],
  [
    'strange Content-Encoding',
    '/api/v1/clients',
    { method: 'POST', body: '{}', headers: { 'Content-Encoding': long('gzip,', 2000) } },
  ],
  [
    'a strange override',
    '/api/v1/clients',
    { method: 'POST', body: '{}', headers: { 'X-HTTP-Method-Override': long('PUT ', 2000) } },
  ],
  ['a strange request id', '/api/v1/nothing', { headers: { 'X-Request-Id': '"><script>' } }],
  [
    'conditions that contradict',
    '/api/v1/clients/7',
    { method: 'PUT', body: '{}', headers: { 'If-Match': '*', 'If-None-Match': '*' } },
  ],
  ['a range', '/api/v1/clients', { headers: { Range: 'bytes=0-0' } }],
  ['an upgrade', '/api/v1/clients', { headers: { Connection: 'Upgrade', Upgrade: 'websocket' } }],
  [
    'HTTP/2 settings',
    '/api/v1/clients',
    { headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AA' } },
  ],
  ['TRACE', '/api/v1/clients', { method: 'TRACE' }],
  ['PROPFIND', '/api/v1/clients', { method: 'PROPFIND' }],
  ['a body on GET', '/api/v1/clients', { body: '{' }],
  ['a body on DELETE', '/api/v1/clients/7', { method: 'DELETE', body: 'x'.repeat(100_000) }],
  [
    'a repeated override',
    '/api/v1/clients/7',
    { method: 'POST', body: '{}', headers: { 'X-HTTP-Method-Override': ['PUT', 'DELETE'] } },
  ],
  ['two lengths of a number', '/api/v1/clients', { method: 'POST', body: `{"a":1e${long('9', 1000)}}` }],
  [
    'keys without end',
    '/api/v1/clients/7/time',
    { method: 'PUT', body: `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`)}}` },
  ],
];

const raws: [label: string, request: string][] = [
  ['a header without a name', 'GET / HTTP/1.1\r\nHost: demo.test\r\n: x\r\n\r\n'],
  ['a folded header', 'GET / HTTP/1.1\r\nHost: demo.test\r\nX: a\r\n b\r\n\r\n'],
  ['a blank before the colon', 'GET / HTTP/1.1\r\nHost : demo.test\r\n\r\n'],
  ['bare line feeds', 'GET / HTTP/1.1\nHost: demo.test\n\n'],
  ['another protocol version', 'GET / HTTP/9.9\r\nHost: demo.test\r\n\r\n'],
  [
    'a bad chunk',
    'POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ],
  ['a negative length', 'POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nContent-Length: -1\r\n\r\n'],
  [
    'two different lengths',
    'POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
  ],
  [
    'a smuggled request',
    'POST /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG',
  ],
  ['an asterisk', 'GET * HTTP/1.1\r\nHost: demo.test\r\nConnection: close\r\n\r\n'],
  ['an authority as the target', 'GET demo.test:443 HTTP/1.1\r\nHost: demo.test\r\nConnection: close\r\n\r\n'],
  [
    'bytes beyond ASCII',
    'GET /api/v1/cl\u00ffents?\u00ff=\u00fe HTTP/1.1\r\nHost: demo.test\r\nX: \u00ff\r\nConnection: close\r\n\r\n',
  ],
];

describe('hostile requests', async () => {
  const api = await startApi();
  after(api.close);

  for (const [label, path, options] of requests) {
    it(`never fail the server: ${label}`, async () => {
      const cpu = cpuOf();
      const { status, text, headers } = await api.call(path, options);
      assert.ok(status >= 200 && status < 500, `${status} ${text}`);
      assert.equal(headers['set-cookie'], undefined);
      assert.ok(cpu() < 1500);
    });
  }

  for (const [label, request] of raws) {
    it(`never fail the server: ${label}`, async () => {
      const response = await api.raw(Buffer.from(request, 'latin1'));
      assert.match(response, /^HTTP\/1\.1 4\d\d /);
    });
  }

  for (const second of ['good', 'bad']) {
    it(`are rejected with two Authorization headers, the second one ${second}`, async () => {
      const response = await api.raw(
        `GET /api/v1/clients HTTP/1.1\r\nHost: demo.test\r\nAuthorization: Bearer good\r\nAuthorization: Bearer ${second}\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
      );
      assert.match(response, /^HTTP\/1\.1 400 /);
      assert.match(response, /"invalid_parameter"/);
    });
  }

  it('never fail the server: any path and query', async () => {
    const piece = fc.oneof(
      fc.constantFrom('clients', '7', '.json', '.xml', 'callback=', 'envelope=1', '&', '=', '[]', '%', '\\'),
      fc.webSegment(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece),
        fc.array(piece),
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
        async (path, query, method) => {
          const { status } = await api.call(`/api/v1/${path.join('/')}?${query.join('')}`, { method });
          assert.ok(status >= 200 && status < 500);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leave it serving, with nothing logged as an error', async () => {
    assert.equal((await api.call('/api/v1/clients')).status, 200);
    assert.deepEqual(
      api.logs.filter(({ level }) => Number(level) >= 50),
      [],
    );
  });
});
