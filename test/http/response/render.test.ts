import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Json, Reply } from '../../../src/core/call/reply.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { negotiate } from '../../../src/http/request/negotiate.ts';
import { acceptsGzip, compress } from '../../../src/http/response/compression.ts';
import { matchesEtag } from '../../../src/http/response/etag.ts';
import { replyTo } from '../../../src/http/response/failures.ts';
import { type Rendered, type RenderRequest, renderReply } from '../../../src/http/response/render.ts';
import { Spools } from '../../../src/http/response/spool.ts';
import { rows } from '../support/api.ts';

const value = (json: Json, status = 200): Reply => ({
  status,
  headers: {},
  body: { kind: 'value', name: 'value', value: json },
});
const empty: Reply = { status: 204, headers: {}, body: null };

const render = (reply: Reply, url = '/api/v1/clients', request: Partial<RenderRequest> = {}, method = 'GET') =>
  renderReply(
    reply,
    { 'x-request-id': 'r', 'x-rate-limit-limit': '600' },
    {
      wire: negotiate({ method, url, headers: {} }),
      tenantId: 1,
      ifNoneMatch: undefined,
      acceptEncoding: undefined,
      spooling: { spools: new Spools({ files: 1, bytes: 1 }), signal: new AbortController().signal },
      settings: { defuseCsv: true },
      ...request,
    },
  );

const textOf = ({ headers, bytes }: Rendered): string => {
  if (!bytes) return '';
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
};
const identity = { acceptEncoding: 'identity' };

describe('ETag', () => {
  it('is the same for the same representation and differs by tenant, data and format', async () => {
    const tag = async (reply: Reply, url?: string, request = {}) =>
      (await render(reply, url, { ...identity, ...request })).headers.etag;
    const first = await tag(value({ a: 1 }));
    assert.match(first ?? '', /^"[\da-f]{40}"$/);
    assert.equal(await tag(value({ a: 1 })), first);
    assert.equal(await tag(value({ a: 1 }), '/api/v1/clients.json?x=1'), first);
    assert.notEqual(await tag(value({ a: 2 })), first);
    assert.notEqual(await tag(value({ a: 1 }), '/api/v1/clients.xml'), first);
    assert.notEqual(await tag(value({ a: 1 }), undefined, { tenantId: 2 }), first);
  });

  it('names the gzip form by its ending', async () => {
    const [plain, zipped] = [await render(rows, undefined, identity), await render(rows)];
    assert.equal(zipped.headers.etag, plain.headers.etag?.replace(/"$/, '-gzip"'));
  });

  it('is on no error and on no response without a body', async () => {
    assert.equal((await render(replyTo(new ApiError('not_found'), 'r'))).headers.etag, undefined);
    assert.equal((await render(empty)).headers.etag, undefined);
  });

  const matches: [header: string, want: boolean][] = [
    ['"x"', true],
    ['"x-gzip"', true],
    ['W/"x"', true],
    ['W/"x-gzip"', true],
    ['"a", "x"', true],
    ['"a","b" ,W/"x-gzip"', true],
    ['*', true],
    [' * ', true],
    ['"y"', false],
    ['x', false],
    ['"x', false],
    ['"X"', false],
    ['"x-gzip-gzip"', false],
    ['', false],
    ['"*"', false],
  ];
  for (const [header, want] of matches) {
    it(`${want ? 'is' : 'is not'} matched by ${header || 'nothing'}`, () =>
      assert.equal(matchesEtag(header, '"x"'), want));
  }
});

describe('304', () => {
  it('comes on GET and HEAD whose response would be 200, without a body and its headers', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes } = await render(rows, undefined, { ifNoneMatch: '*' }, method);
      assert.deepEqual([status, bytes], [304, null]);
      assert.ok(headers.etag);
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.deepEqual([headers['content-type'], headers['content-encoding']], [undefined, undefined]);
    }
  });

  it('comes on no other status and no other method', async () => {
    assert.equal((await render(value(1, 201), undefined, { ifNoneMatch: '*' })).status, 201);
    assert.equal((await render(empty, undefined, { ifNoneMatch: '*' })).status, 204);
    assert.equal((await render(rows, undefined, { ifNoneMatch: '*' }, 'PUT')).status, 200);
    assert.equal((await render(replyTo(new ApiError('not_found'), 'r'), undefined, { ifNoneMatch: '*' })).status, 404);
  });

  it('is inside of an envelope, with a response of null', async () => {
    const rendered = await render(rows, '/api/v1/clients?envelope=1', { ifNoneMatch: '*' });
    assert.equal(rendered.status, 200);
    const { status_code, response, etag, content_type } = JSON.parse(textOf(rendered));
    assert.deepEqual([status_code, response, content_type], [304, null, undefined]);
    assert.ok(etag);
  });
});

describe('gzip', () => {
  const cases: [header: string | undefined, want: boolean][] = [
    [undefined, true],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['*', true],
    ['gzip;q=0.1, identity', true],
    ['br;q=1, gzip; q=0.5', true],
    ['identity;q=0', true],
    ['identity', false],
    ['gzip;q=0', false],
    ['gzip;q=0.0', false],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['br', false],
    ['', false],
    ['gzip;q=x', false],
  ];
  for (const [header, want] of cases) {
    it(`is ${want ? 'used' : 'left out'} with Accept-Encoding ${JSON.stringify(header)}`, async () => {
      assert.equal(acceptsGzip(header), want);
      const { headers } = await render(rows, undefined, { acceptEncoding: header });
      assert.equal(headers['content-encoding'], want ? 'gzip' : undefined);
      assert.equal(headers.vary, 'Accept-Encoding');
    });
  }

  it('is used on errors and on the shortest response, and not without a body', async () => {
    assert.equal((await render(replyTo(new ApiError('not_found'), 'r'))).headers['content-encoding'], 'gzip');
    assert.equal((await render(value([]))).headers['content-encoding'], 'gzip');
    assert.equal((await render(empty)).headers['content-encoding'], undefined);
  });

  it('gives back the same bytes, small and large', async () => {
    for (const size of [0, 1, 65_536, 65_537, 300_000]) {
      const bytes = Buffer.alloc(size, 'abc');
      assert.deepEqual(gunzipSync(await compress(bytes)), bytes);
    }
  });
});

describe('envelope', () => {
  it('holds the status, every header and the bare response, with the bare ETag and none of its own', async () => {
    const bare = await render(rows);
    const rendered = await render({ ...rows, headers: { Link: '<x>' } }, '/api/v1/clients?envelope=true');
    const { response, ...members } = JSON.parse(textOf(rendered));
    assert.deepEqual(members, {
      status_code: 200,
      x_request_id: 'r',
      x_rate_limit_limit: 600,
      link: '<x>',
      vary: 'Accept-Encoding',
      etag: bare.headers.etag,
      content_type: 'application/json; charset=utf-8',
      content_encoding: 'gzip',
    });
    assert.deepEqual(response, JSON.parse(textOf(bare)));
    assert.equal(rendered.headers.etag, undefined);
  });

  it('is pretty printed as one piece', async () => {
    const text = textOf(await render(rows, '/api/v1/clients?envelope=true'));
    assert.equal(text, JSON.stringify(JSON.parse(text), null, 2));
  });

  it('holds errors and the absence of a body, with status 200', async () => {
    const error = await render(
      replyTo(new ApiError('read_only_user', { headers: { Allow: 'GET, HEAD' } }), 'r'),
      '/api/v1/x?envelope=1',
    );
    assert.equal(error.status, 200);
    const { status_code, allow, response } = JSON.parse(textOf(error));
    assert.deepEqual(
      [status_code, allow, response.code, response.request_id],
      [405, 'GET, HEAD', 'read_only_user', 'r'],
    );
    const nothing = await render(empty, '/api/v1/x?envelope=1');
    assert.deepEqual([nothing.status, JSON.parse(textOf(nothing)).status_code], [200, 204]);
    assert.equal(JSON.parse(textOf(nothing)).response, null);
  });

  it('is XML where XML is asked for', async () => {
    const rendered = await render(rows, '/api/v1/clients.xml?envelope=true');
    assert.equal(rendered.headers['content-type'], 'application/xml; charset=utf-8');
    assert.match(textOf(rendered), /<envelope>\s+<status_code>200<\/status_code>.*<response>\s+<clients>\s+<client>/s);
  });

  it('leaves bytes of another kind as they are', async () => {
    const bytes: Reply = {
      status: 200,
      headers: {},
      body: { kind: 'bytes', type: 'text/plain', bytes: Buffer.from('x') },
    };
    const rendered = await render(bytes, '/api/v1/x?envelope=1', identity);
    assert.deepEqual([textOf(rendered), rendered.headers['content-type']], ['x', 'text/plain']);
  });
});

describe('JSONP', () => {
  const run = (script: string): unknown => {
    const seen: unknown[] = [];
    runInNewContext(script, { a: { b: (given: unknown) => seen.push(JSON.stringify(given)) } });
    assert.equal(seen.length, 1);
    return JSON.parse(String(seen[0]));
  };

  it('calls the function with the envelope, whatever the values are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async json => {
        const rendered = await render(value(json as Json), '/api/v1/x?callback=a.b', identity);
        const called = run(textOf(rendered)) as { status_code: number; response: unknown };
        assert.equal(called.status_code, 200);
        assert.deepEqual(called.response, JSON.parse(JSON.stringify(json)));
      }),
      { numRuns: 300 },
    );
  });

  it('gives a member named __proto__ as a member', async () => {
    const given = JSON.parse('{"__proto__":{"a":[{"__proto__":1}]},"text":"\\n  \\"__proto__\\": 1"}');
    const called = run(textOf(await render(value(given), '/api/v1/x?callback=a.b'))) as { response: unknown };
    assert.deepEqual(called.response, given);
  });

  it('begins with a comment and holds nothing that ends a script element or a line', async () => {
    const rendered = await render(rows, '/api/v1/clients?callback=a.b');
    const script = textOf(rendered);
    assert.equal(rendered.headers['content-type'], 'application/javascript; charset=utf-8');
    assert.ok(script.startsWith('/**/a.b({\n'));
    assert.ok(script.endsWith('});'));
    assert.doesNotMatch(script, /[<\u2028\u2029]/);
  });
});

describe('errors', () => {
  it('have code, message, description, the failing fields and the request id', async () => {
    const errors = [{ code: 'not_empty' as const, field: 'company', message: 'm' }];
    const error = JSON.parse(textOf(await render(replyTo(new ApiError('validation_failed', { errors }), 'r'))));
    assert.deepEqual(Object.keys(error), [
      'code',
      'message',
      'description',
      'documentation_url',
      'errors',
      'request_id',
    ]);
    assert.deepEqual([error.code, error.errors, error.request_id], ['validation_failed', errors, 'r']);
    assert.match(
      textOf(await render(replyTo(new ApiError('not_found'), 'r'), '/api/v1/x.xml')),
      /<error>\s+<code>not_found</,
    );
  });
});
