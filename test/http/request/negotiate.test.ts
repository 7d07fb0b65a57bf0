import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { negotiate } from '../../../src/http/request/negotiate.ts';
import type { Wire } from '../../../src/http/request/wire.ts';

const of = (url: string, method = 'GET', headers: Record<string, string> = {}): Wire =>
  negotiate({ method, url, headers });

describe('negotiate', () => {
  const paths: [url: string, path: string, format: string][] = [
    ['/api/v1/clients', '/clients', 'json'],
    ['/api/v1/clients.json', '/clients', 'json'],
    ['/api/v1/clients/7.xml', '/clients/7', 'xml'],
    ['/api/v1/forms/7/attributes.xml?sort=name', '/forms/7/attributes', 'xml'],
    ['/api/v1/clients.csv?limit=1', '/clients', 'csv'],
    ['/api/v1/clients.ndjson', '/clients', 'ndjson'],
    ['/api/v1/clients.constructor', '/clients.constructor', 'json'],
    ['/api/v1/clients.', '/clients.', 'json'],
    ['/api/v1/clients.yaml', '/clients.yaml', 'json'],
    ['/api/v1/clients.JSON', '/clients.JSON', 'json'],
    ['/api/v1/clients.xml/7', '/clients.xml/7', 'json'],
    ['/api/v1/clients.json.xml', '/clients.json', 'xml'],
    ['/api/v1/clients/7%2Ejson', '/clients/7%2Ejson', 'json'],
    ['/api/v1/clients/', '/clients/', 'json'],
    ['/api/v1', '/', 'json'],
    ['/api/v1/', '/', 'json'],
    ['/api/v10/clients', '', 'json'],
    ['/clients', '', 'json'],
    ['//api/v1/clients', '', 'json'],
    ['https://demo.test/api/v1/clients?x=1', '/clients', 'json'],
    ['*', '', 'json'],
  ];
  for (const [url, path, format] of paths) {
    it(`takes ${url} for ${path || 'outside'} as ${format}`, () => {
      const wire = of(url);
      assert.deepEqual([wire.path, wire.format.name, wire.problem], [path, format, null]);
    });
  }

  const queries: [query: string, want: [string, string][]][] = [
    ['', []],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    [
      'f[]=1&f%5B%5D=2&f=3',
      [
        ['f[]', '1'],
        ['f[]', '2'],
        ['f', '3'],
      ],
    ],
    ['sort=+name', [['sort', ' name']]],
    ['sort=%2Bname', [['sort', '+name']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=x', [['', 'x']]],
    ['&&a=1&', [['a', '1']]],
    ['n=M%C3%BCller', [['n', 'Müller']]],
    ['n=M\u00c3\u00bcller', [['n', 'Müller']]],
    ['f=%5C%2C%2A', [['f', '\\,*']]],
    ['a=?b', [['a', '?b']]],
    ['_=1', [['_', '1']]],
    ['authorization_bearer=t', [['authorization_bearer', 't']]],
  ];
  for (const [query, want] of queries) {
    it(`reads the query ${JSON.stringify(query)}`, () => {
      const wire = of(`/api/v1/clients?${query}`);
      assert.deepEqual([wire.parameters, wire.problem], [want, null]);
    });
  }

  for (const query of ['a=%', 'a=%f', 'a=%ff', 'a=%zz', 'a=%00', '%00=a', 'a=%ed%a0%80', 'a=\u00ff', 'a=%c0%80']) {
    it(`refuses the query ${JSON.stringify(query)}`, () => {
      assert.equal(of(`/api/v1/clients?${query}`).problem?.code, 'invalid_parameter');
    });
  }

  const overrides: [method: string, value: string, want: string | null][] = [
    ['POST', 'PUT', 'PUT'],
    ['POST', 'delete', 'DELETE'],
    ['POST', 'PATCH', null],
    ['POST', 'GET', null],
    ['POST', 'POST', null],
    ['POST', '', null],
    ['POST', 'PUT, PUT', null],
    ['GET', 'PUT', null],
    ['PUT', 'DELETE', null],
    ['HEAD', 'PUT', null],
    ['DELETE', 'DELETE', null],
  ];
  for (const [method, value, want] of overrides) {
    it(`${want ? `takes ${method} for ${want}` : `refuses ${method}`} with the override "${value}"`, () => {
      const wire = of('/api/v1/clients', method, { 'x-http-method-override': value });
      assert.equal(wire.method, want ?? method);
      assert.equal(wire.problem?.code, want ? undefined : 'invalid_method_override');
    });
  }

  for (const callback of ['f', '$', '_', 'a.b.c', 'angular.callbacks._0', 'a'.repeat(128)]) {
    it(`takes the callback ${callback.slice(0, 20)}`, () => {
      const wire = of(`/api/v1/clients?callback=${callback}&authorization_bearer=t&_=1&a=2`);
      assert.deepEqual(wire, {
        method: 'GET',
        path: '/clients',
        format: wire.format,
        envelope: true,
        callback,
        token: 't',
        parameters: [['a', '2']],
        self: { path: '/api/v1/clients', parameters: wire.self.parameters },
        problem: null,
      });
    });
  }

  it('keeps the address for links, without the token', () => {
    const { self } = of('/api/v1/clients.json?callback=f&authorization_bearer=secret&status=%2B1');
    assert.equal(self.path, '/api/v1/clients.json');
    assert.ok(self.parameters.some(([name, value]) => name === 'status' && value === '+1'));
    assert.doesNotMatch(JSON.stringify(self), /secret|authorization_bearer/);
  });

  const refused: [label: string, url: string, method?: string][] = [
    ['an empty one', '/api/v1/clients?callback='],
    ['a call', '/api/v1/clients?callback=alert(1)//'],
    ['two statements', '/api/v1/clients?callback=a;b'],
    ['letters beyond ASCII', '/api/v1/clients?callback=%C3%BC'],
    ['an empty part', '/api/v1/clients?callback=a..b'],
    ['a digit at the start', '/api/v1/clients?callback=1a'],
    ['one too long', `/api/v1/clients?callback=${'a'.repeat(129)}`],
    ['a repeated one', '/api/v1/clients?callback=a&callback=a'],
    ['one with XML', '/api/v1/clients.xml?callback=a'],
    ['one on POST', '/api/v1/clients?callback=a', 'POST'],
    ['one on HEAD', '/api/v1/clients?callback=a', 'HEAD'],
  ];
  for (const [label, url, method] of refused) {
    it(`refuses ${label} as a callback, in a plain response`, () => {
      const wire = of(`${url}&authorization_bearer=t`, method);
      assert.equal(wire.problem?.code, 'invalid_callback');
      assert.deepEqual([wire.callback, wire.envelope, wire.token], [null, false, null]);
    });
  }

  const envelopes: [query: string, want: boolean | null][] = [
    ['envelope=true', true],
    ['envelope=1', true],
    ['envelope=false', false],
    ['envelope=0', false],
    ['envelope=false&callback=f', true],
    ['envelope=yes', null],
    ['envelope=', null],
    ['envelope=constructor', null],
    ['envelope=true&envelope=true', null],
  ];
  for (const [query, want] of envelopes) {
    it(`${want === null ? 'refuses' : `reads as ${want}`} ${query}`, () => {
      const wire = of(`/api/v1/clients?${query}`);
      assert.equal(wire.envelope, want ?? false);
      assert.equal(wire.problem?.code, want === null ? 'invalid_parameter' : undefined);
    });
  }

  const headers: [header: string, token: string | null][] = [
    ['Bearer abc', 'abc'],
    ['bearer   abc ', 'abc'],
    ['BEARER a b', 'a b'],
    ['Bearer', null],
    ['Bearer ', null],
    ['Basic abc', null],
    ['abc', null],
  ];
  for (const [authorization, token] of headers) {
    it(`reads the token of "${authorization}"`, () => assert.equal(of('/', 'GET', { authorization }).token, token));
  }

  it('refuses a token in the header and in the address at once, or twice in the address', () => {
    const url = '/api/v1/clients?callback=f&authorization_bearer=a';
    assert.equal(of(url, 'GET', { authorization: 'Bearer b' }).problem?.code, 'invalid_parameter');
    assert.equal(of(`${url}&authorization_bearer=a`).problem?.code, 'invalid_parameter');
  });

  it('refuses two Authorization headers, even equal ones', () => {
    const headers = { authorization: 'Bearer a' };
    const given = (authorization: string[]) =>
      negotiate({ url: '/api/v1/clients', headers, headersDistinct: { authorization } }).problem?.code;
    assert.deepEqual(
      [given(['Bearer a', 'Bearer b']), given(['Bearer a', 'Bearer a']), given(['Bearer a'])],
      ['invalid_parameter', 'invalid_parameter', undefined],
    );
  });

  it('is total: any method, address and headers give a Wire', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.webUrl({ withQueryParameters: true }));
    const keys = ['authorization', 'x-http-method-override', 'accept', 'host'];
    const dictionary = fc.dictionary(fc.constantFrom(...keys), text);
    const url = fc.oneof(
      text,
      text.map(query => `/api/v1/clients?${query}`),
    );
    fc.assert(
      fc.property(fc.string(), url, dictionary, (method, target, given) => {
        const wire = of(target, method, given);
        assert.equal(typeof wire.path, 'string');
        assert.ok(wire.callback === null || wire.envelope);
      }),
      { numRuns: 500 },
    );
  });
});
