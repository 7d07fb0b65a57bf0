import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readHost } from '../../../src/http/checks.ts';
import { parseHost } from '../../../src/tenancy/names.ts';
import { startApi } from '../support/api.ts';

describe('parseHost', () => {
  const cases: [text: string, want: string | null][] = [
    ['demo.test', 'demo.test'],
    ['DEMO.Test', 'demo.test'],
    ['demo.test.', 'demo.test'],
    ['demo.test:8443', 'demo.test:8443'],
    ['demo.test.:8443', 'demo.test:8443'],
    ['localhost', 'localhost'],
    ['127.0.0.1:1', '127.0.0.1:1'],
    ['xn--mller-kva.test', 'xn--mller-kva.test'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
    ['', null],
    ['.', null],
    ['demo.test..', null],
    ['.demo.test', null],
    ['demo..test', null],
    ['-demo.test', null],
    ['demo-.test', null],
    ['de_mo.test', null],
    ['de mo.test', null],
    ['demo.test, other.test', null],
    ['demo.test,other.test', null],
    ['user@demo.test', null],
    ['a.test:1@demo.test', null],
    ['demo.test/path', null],
    ['demo.test?x', null],
    ['demo.test#x', null],
    ['demo.test:', null],
    ['demo.test:x', null],
    ['demo.test:65536', null],
    ['demo.test:80:80', null],
    ['[::1]:8443', null],
    ['dem\u00f6.test', null],
    ['demo.test\u0000', null],
    [`${'a'.repeat(64)}.test`, null],
    [`${'a.'.repeat(130)}test`, null],
  ];
  for (const [text, want] of cases) {
    it(`${want === null ? 'refuses' : 'takes'} ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(parseHost(text)?.authority ?? null, want);
    });
  }
});

describe('readHost', () => {
  it('wants one Host header, whatever the case of its name', () => {
    assert.deepEqual(readHost(['Demo.test:1'], '/'), { name: 'demo.test', authority: 'demo.test:1' });
    assert.throws(() => readHost([], '/'), { code: 'invalid_parameter', status: 400 });
    assert.throws(() => readHost(['demo.test', 'demo.test'], '/'), { code: 'invalid_parameter' });
  });

  it('wants an absolute target to name the same host', () => {
    assert.equal(readHost(['demo.test'], 'https://DEMO.test/api').name, 'demo.test');
    for (const target of [
      'https://other.test/api',
      'https://demo.test:1/api',
      'https://x@demo.test/',
      'https:///api',
    ]) {
      assert.throws(() => readHost(['demo.test'], target), { code: 'invalid_parameter' }, target);
    }
  });
});

describe('hosts over a raw connection', async () => {
  const api = await startApi();
  after(api.close);

  const rest = 'Connection: close\r\n\r\n';
  const cases: [label: string, request: string, status: number][] = [
    ['its own host', `GET /api/v1/openapi.json HTTP/1.1\r\nHost: demo.test\r\n${rest}`, 200],
    [
      'upper case, port and a trailing dot',
      `GET /api/v1/openapi.json HTTP/1.1\r\nHost: DEMO.TEST.:443\r\n${rest}`,
      200,
    ],
    ['an absolute target', `GET https://demo.test/api/v1/openapi.json HTTP/1.1\r\nHost: demo.test\r\n${rest}`, 200],
    [
      'another absolute target',
      `GET https://other.test/api/v1/openapi.json HTTP/1.1\r\nHost: demo.test\r\n${rest}`,
      400,
    ],
    ['no host', `GET /api/v1/openapi.json HTTP/1.1\r\n${rest}`, 400],
    ['an empty host', `GET /api/v1/openapi.json HTTP/1.1\r\nHost:\r\n${rest}`, 400],
    ['two hosts', `GET /api/v1/openapi.json HTTP/1.1\r\nHost: demo.test\r\nHost: demo.test\r\n${rest}`, 400],
    ['a list of hosts', `GET /api/v1/openapi.json HTTP/1.1\r\nHost: demo.test, other.test\r\n${rest}`, 400],
    ['user information', `GET /api/v1/openapi.json HTTP/1.1\r\nHost: a@demo.test\r\n${rest}`, 400],
    ['a host that is no tenant', `GET /api/v1/openapi.json HTTP/1.1\r\nHost: nobody.test\r\n${rest}`, 404],
    [
      'a host named like a member of every object',
      `GET /api/v1/openapi.json HTTP/1.1\r\nHost: constructor\r\n${rest}`,
      404,
    ],
    ['HTTP/1.0 without a host', 'GET /api/v1/openapi.json HTTP/1.0\r\n\r\n', 400],
  ];
  for (const [label, request, status] of cases) {
    it(`responds to ${label} with ${status}`, async () => {
      assert.equal((await api.raw(request)).slice(9, 12), String(status));
    });
  }

  it('ignores X-Forwarded-Host', async () => {
    const { status } = await api.call('/api/v1/openapi.json', {
      headers: { Host: 'nobody.test', 'X-Forwarded-Host': 'demo.test' },
    });
    assert.equal(status, 404);
  });
});
