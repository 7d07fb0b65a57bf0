import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ApiError } from '../../src/core/errors.ts';
import { DatabaseError } from '../../src/db/errors.ts';
import { memoryCounter } from '../../src/http/request/quota.ts';
import { etagOfBody } from '../../src/http/response/render.ts';
import { codeOf, demo, type Options, rows, startApi } from '../http/support/api.ts';

const common: Readonly<Record<string, string>> = {
  'accept-encoding': 'gzip',
  'access-control-allow-origin': '*',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'Accept-Encoding',
};

const failing = (error: unknown) => ({
  answer: () => {
    throw error;
  },
});

describe('every answer', async () => {
  const api = await startApi();
  after(api.close);

  const answers: [status: number, path: string, options?: Options][] = [
    [200, '/api/v1/clients'],
    [200, '/api/v1/clients.xml'],
    [200, '/api/v1/clients?callback=f'],
    [200, '/api/v1/openapi.json', { token: null }],
    [204, '/api/v1/clients/7', { method: 'DELETE' }],
    [204, '/api/v1/clients', { method: 'OPTIONS', token: null }],
    [304, '/api/v1/clients', { headers: { 'If-None-Match': '*' } }],
    [400, '/api/v1/clients?a=%ff'],
    [401, '/api/v1/clients', { token: null }],
    [403, '/api/v1/paysheets'],
    [403, '/api/v1/clients', { plain: true }],
    [404, '/api/v1/nothing.xml'],
    [404, '/api/v1/clients', { headers: { Host: 'nobody.test' } }],
    [405, '/api/v1/clients', { method: 'PATCH' }],
    [413, '/api/v1/clients', { method: 'POST', body: 'x'.repeat(1_100_000) }],
    [414, `/api/v1/clients?a=${'x'.repeat(8200)}`],
    [415, '/api/v1/clients', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }],
    [422, '/api/v1/clients/7/time', { method: 'PUT', body: '{}' }],
  ];
  for (const [status, path, options] of answers) {
    it(`with ${status} (${path.slice(0, 40)}) has the common headers, the quota and the request id`, async () => {
      const answer = await api.call(path, options);
      assert.equal(answer.status, status);
      for (const [name, value] of Object.entries(common)) {
        if (status === 204 && name.startsWith('access-control')) assert.equal(answer.headers[name], '*');
        else assert.equal(answer.headers[name], value, name);
      }
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(String(answer.headers[`x-rate-limit-${name}`]), /^\d+$/);
      assert.match(String(answer.headers['x-request-id']), /^[\da-f-]{36}$/);
      assert.equal(answer.headers['x-powered-by'], undefined);
      const bodiless = status === 204 || status === 304;
      assert.equal(answer.headers['content-encoding'], bodiless ? undefined : 'gzip');
      if (bodiless) assert.equal(answer.text, '');
    });
  }

  it('repeats a safe request id in header and error body, and makes one in place of another', async () => {
    const ask = (id: string) => api.call('/api/v1/nothing', { headers: { 'X-Request-Id': id } });
    const answer = await ask('trace-1/a+b=');
    assert.equal(answer.headers['x-request-id'], 'trace-1/a+b=');
    assert.equal(JSON.parse(answer.text).request_id, 'trace-1/a+b=');
    for (const id of ['', 'a b', '<x>', 'x'.repeat(129), '"'])
      assert.notEqual((await ask(id)).headers['x-request-id'], id);
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const options = { headers: { 'X-Request-Id': 'same' } };
    const [get, head] = [
      await api.call('/api/v1/clients', options),
      await api.call('/api/v1/clients', { ...options, method: 'HEAD' }),
    ];
    assert.equal(head.text, '');
    for (const name of ['etag', 'content-type', 'content-length', 'content-encoding']) {
      assert.equal(head.headers[name], get.headers[name], name);
      assert.ok(head.headers[name]);
    }
  });

  it('carries WWW-Authenticate with 401', async () => {
    for (const token of [null, 'bad']) {
      assert.equal((await api.call('/api/v1/clients', { token })).headers['www-authenticate'], 'Bearer');
    }
  });
});

describe('envelope and JSONP', async () => {
  const api = await startApi();
  after(api.close);

  it('wrap errors from before authentication, with HTTP status 200', async () => {
    const cases: [path: string, options: Options, status: number, code: string][] = [
      ['/api/v1/clients?envelope=true', { headers: { Host: 'nobody.test' } }, 404, 'tenant_not_found'],
      ['/api/v1/clients?envelope=true', { token: null }, 401, 'missing_token'],
      ['/nothing?envelope=true', { token: null }, 401, 'missing_token'],
      ['/api/v1/clients?envelope=true', { method: 'POST', body: '{' }, 400, 'malformed_json'],
    ];
    for (const [path, options, status, code] of cases) {
      const answer = await api.call(path, options);
      assert.equal(answer.status, 200);
      const envelope = JSON.parse(answer.text);
      assert.deepEqual([envelope.status_code, envelope.response.code], [status, code]);
      assert.equal(typeof envelope.x_rate_limit_remaining, 'number');
      assert.equal(envelope.x_request_id, answer.headers['x-request-id']);
    }
    const script = await api.call('/api/v1/clients?callback=f', { token: null });
    assert.deepEqual([script.status, script.headers['content-type']], [200, 'application/javascript; charset=utf-8']);
    assert.match(script.text, /^\/\*\*\/f\({\n {2}"status_code": 401,/);
  });

  it('take the token from the address with a callback only, and never show it', async () => {
    const query = 'authorization_bearer=good';
    const answer = await api.call(`/api/v1/clients?callback=f&${query}&_=123`, { token: null });
    assert.match(answer.text, /"status_code": 200,/);
    assert.equal(answer.headers['cache-control'], 'private, no-store');
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    assert.equal((await api.call('/api/v1/clients?callback=f')).headers['cache-control'], 'private, no-cache');
    assert.equal(codeOf(await api.call(`/api/v1/clients?${query}`, { token: null })), 'missing_token');
    assert.equal(
      codeOf(await api.call(`/api/v1/clients?${query}`, { method: 'POST', body: '{}', token: null })),
      'missing_token',
    );
    const twice = await api.call(`/api/v1/clients?callback=f&${query}`);
    assert.match(twice.text, /"status_code": 400,.*"code": "invalid_parameter"/s);
  });

  it('are refused plainly when the callback is none', async () => {
    const answer = await api.call('/api/v1/clients?callback=alert(1)');
    assert.deepEqual([answer.status, answer.headers['content-type']], [400, 'application/json; charset=utf-8']);
    assert.equal(codeOf(answer), 'invalid_callback');
  });
});

describe('CORS', async () => {
  const api = await startApi();
  after(api.close);

  it('answers a preflight without a token', async () => {
    const { status, headers } = await api.call('/api/v1/clients/7', {
      method: 'OPTIONS',
      token: null,
      headers: {
        Origin: 'https://x.test',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.match(String(headers['access-control-allow-methods']), /GET.*PUT.*DELETE/);
    const allowed = String(headers['access-control-allow-headers']).toLowerCase().split(',');
    for (const name of [
      'authorization',
      'content-type',
      'x-http-method-override',
      'x-file-name',
      'x-file-visibility',
      'if-match',
      'if-none-match',
      'idempotency-key',
      'x-request-id',
    ]) {
      assert.ok(allowed.includes(name), name);
    }
  });

  it('exposes what scripts need of an answer', async () => {
    const { headers } = await api.call('/api/v1/clients', { headers: { Origin: 'https://x.test' } });
    const exposed = String(headers['access-control-expose-headers']).split(',');
    for (const name of [
      'ETag',
      'Location',
      'Link',
      'X-Total-Count',
      'X-Request-Id',
      'Retry-After',
      'Deprecation',
      'X-Rate-Limit-Limit',
    ]) {
      assert.ok(exposed.includes(name), name);
    }
  });
});

describe('rate limit', () => {
  const limited = (requests: number) => startApi({ rateLimit: { counter: memoryCounter(60), requests, period: 60 } });

  it('lets exactly the allowed requests of a user through, whatever their form', async () => {
    const api = await limited(100);
    const forms: [path: string, options: Options][] = [
      ['/api/v1/clients', {}],
      ['/api/v1/nothing', {}],
      ['/api/v1/clients.xml', { method: 'HEAD' }],
      ['/api/v1/clients', { headers: { 'X-Forwarded-For': '203.0.113.9', Host: 'DEMO.test.' } }],
      ['/api/v1/clients/1', { method: 'POST', body: '{}', headers: { 'X-HTTP-Method-Override': 'PUT' } }],
    ];
    const all = Array.from({ length: 300 }, (_, index) => forms[index % forms.length] as (typeof forms)[number]);
    const answers = await Promise.all(all.map(([path, options]) => api.call(path, options)));
    assert.equal(answers.filter(({ status }) => status !== 429).length, 100);
    const [refused] = answers.filter(({ status, text }) => status === 429 && text);
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

  it('lets requests pass while its store fails', async () => {
    const broken = { add: () => Promise.reject(new Error('store')), read: () => Promise.reject(new Error('store')) };
    const api = await startApi({ rateLimit: { counter: broken, requests: 3, period: 60 } });
    const answer = await api.call('/api/v1/clients');
    assert.deepEqual([answer.status, answer.headers['x-rate-limit-remaining']], [200, '3']);
    assert.ok(api.logs.some(({ level }) => level === 40));
    await api.close();
  });
});

describe('dispatch', async () => {
  const api = await startApi();
  after(api.close);
  const last = () => api.calls.at(-1);

  it('hands on who asks, the operation, its placeholders, parameters, body and headers', async () => {
    await api.call('/api/v1/clients/7.json?f[]=1&f[]=%3C2&envelope=0', {
      method: 'PUT',
      body: '{"company":"x"}',
      headers: { 'If-Match': '"e"' },
    });
    const call = last();
    assert.ok(call);
    const { principal, self, limits, fields: _, resources: __, matches, ...rest } = call;
    const value = { kind: 'value', name: 'client', value: {} } as const;
    assert.equal(matches(etagOfBody(value, 'json', demo.id), value), true);
    assert.equal(matches(etagOfBody(value, 'json', demo.id + 1), value), false);
    assert.equal(limits.filters, 50);
    assert.deepEqual(principal.tenant, demo);
    assert.equal(principal.apiUser.id, 7);
    assert.equal(self.path, '/api/v1/clients/7.json');
    assert.deepEqual(rest, {
      operation: 'clients_update',
      alias: null,
      params: { id: 7 },
      id: 7,
      parent: null,
      parameters: [
        ['f[]', '1'],
        ['f[]', '<2'],
      ],
      body: { company: 'x' },
      findings: [],
      content: null,
      headers: { ifMatch: '"e"', idempotencyKey: null, declared: {} },
    });
  });

  it('tells the name of a predefined listing', async () => {
    await api.call('/api/v1/clients/today');
    assert.deepEqual([last()?.operation, last()?.alias, last()?.id], ['clients_today', 'today', 0]);
  });

  it('takes a path without placeholders before one with them', async () => {
    assert.equal((await api.call('/api/v1/clients/status', { method: 'PUT', body: '{}' })).status, 200);
    assert.equal(last()?.operation, 'clients_setStatus');
    const { status, headers } = await api.call('/api/v1/clients/status');
    assert.deepEqual([status, headers.allow], [405, 'PUT']);
  });

  it('validates the bodies of actions against the document, all fields at once', async () => {
    const body = JSON.stringify({ start: 'x', minutes: 11, other: 1 });
    const answer = await api.call('/api/v1/clients/7/time', { method: 'PUT', body });
    assert.equal(answer.status, 422);
    const errors = JSON.parse(answer.text).errors.map(
      ({ field, code }: { field: string; code: string }) => `${field} ${code}`,
    );
    assert.deepEqual(errors.sort(), [
      'kind not_empty',
      'minutes out_of_range',
      'other unknown_field',
      'start invalid_format',
    ]);
    const good = JSON.stringify({ start: null, kind: 'a', ids: [1, 2] });
    assert.equal((await api.call('/api/v1/clients/7/time?force=true', { method: 'PUT', body: good })).status, 200);
    assert.deepEqual(last()?.parameters, [['force', 'true']]);
  });

  it('leaves the bodies of the verbs to the engine', async () => {
    assert.equal((await api.call('/api/v1/clients', { method: 'POST', body: '{"any":[{}]}' })).status, 200);
  });

  it('names the parameter that is meant', async () => {
    const answer = await api.call('/api/v1/clients/7/time?forse=1', { method: 'PUT', body: '{}' });
    assert.equal(codeOf(answer), 'unknown_field');
    assert.match(JSON.parse(answer.text).message, /forse.*Did you mean force\?/);
  });

  it('announces deprecated operations, failed calls included', async () => {
    for (const token of ['good', 'reader']) {
      const { headers } = await api.call('/api/v1/clients/7', { method: 'DELETE', token });
      assert.equal(headers.deprecation, '@1767225600');
      assert.equal(headers.link, '</api/v1/clients/7>; rel="successor-version"');
    }
    assert.equal((await api.call('/api/v1/clients/7')).headers.deprecation, undefined);
  });

  it('tells of a withdrawn operation, and what takes its place', async () => {
    const answer = await api.call('/api/v1/clients/7/old');
    assert.deepEqual([answer.status, codeOf(answer)], [410, 'gone']);
    assert.equal(answer.headers.link, '</api/v1/clients/7>; rel="successor-version"');
  });

  it('refuses a read-only user all writes, overrides too, and nothing else', async () => {
    const token = 'reader';
    const override = { 'X-HTTP-Method-Override': 'DELETE' };
    const writes: [path: string, options: Options][] = [
      ['/api/v1/clients', { method: 'POST', body: '{' }],
      ['/api/v1/clients/7', { method: 'PUT' }],
      ['/api/v1/clients/7', { method: 'DELETE' }],
      ['/api/v1/clients/7', { method: 'POST', headers: override }],
      ['/api/v1/clients/7/apply', { method: 'POST' }],
    ];
    for (const [path, options] of writes) {
      const answer = await api.call(path, { ...options, token });
      assert.deepEqual([answer.status, codeOf(answer), answer.headers.allow], [405, 'read_only_user', 'GET, HEAD']);
    }
    assert.equal((await api.call('/api/v1/clients', { token })).status, 200);
    assert.equal((await api.call('/api/v1/clients', { token, method: 'HEAD' })).status, 200);
  });

  it('serves what a module brings to the tenants that have it', async () => {
    assert.equal((await api.call('/api/v1/paysheets', { headers: { Host: 'other.test' } })).status, 200);
    assert.equal(codeOf(await api.call('/api/v1/paysheets')), 'module_disabled');
  });
});

describe('failures', () => {
  const ask = async (error: unknown, path = '/api/v1/clients') => {
    const api = await startApi(failing(error));
    const answer = await api.call(path);
    await api.close();
    return { answer, logs: api.logs };
  };

  it('hide what went wrong inside, and log it with the request id', async () => {
    const { answer, logs } = await ask(new Error('select secret from node_modules at line'));
    assert.deepEqual([answer.status, codeOf(answer)], [500, 'internal_error']);
    assert.doesNotMatch(answer.text, /secret|select|node_modules| at /);
    const entry = logs.find(({ level }) => level === 50);
    assert.equal(entry?.request_id, answer.headers['x-request-id']);
    assert.match(JSON.stringify(entry), /select secret/);
  });

  for (const thrown of [
    undefined,
    null,
    'text',
    { status: 418 },
    Object.assign(new Error('x'), { status: 404, expose: true }),
  ]) {
    it(`take ${String(thrown)} for an internal error`, async () =>
      assert.equal((await ask(thrown)).answer.status, 500));
  }

  const kinds: [kind: DatabaseError['kind'], status: number][] = [
    ['unavailable', 503],
    ['uncertain', 503],
    ['timeout', 503],
    ['conflict', 503],
    ['still_referenced', 409],
    ['unique', 500],
    ['other', 500],
  ];
  for (const [kind, status] of kinds) {
    it(`answer a database error "${kind}" with ${status}`, async () => {
      const { answer } = await ask(new DatabaseError(kind, new Error('relation "x"')));
      assert.equal(answer.status, status);
      if (status === 503) assert.match(String(answer.headers['retry-after']), /^\d+$/);
      assert.doesNotMatch(answer.text, /relation/);
    });
  }

  it('keep the headers and further members of an error', async () => {
    const error = new ApiError('still_referenced', { headers: { 'X-Thing': '1' }, extra: { references: ['events'] } });
    const { answer } = await ask(error);
    assert.equal(answer.headers['x-thing'], '1');
    assert.deepEqual(JSON.parse(answer.text).references, ['events']);
  });

  it('of rendering are internal errors in JSON', async () => {
    const api = await startApi({ answer: () => ({ ...rows, body: { kind: 'value', name: 'x', value: 1n as never } }) });
    const answer = await api.call('/api/v1/clients?envelope=true');
    assert.deepEqual([answer.status, codeOf(answer)], [500, 'internal_error']);
    await api.close();
  });
});

describe('log', () => {
  it('has one line for each request, and no token on any line, whatever happens', async () => {
    const canary = 'canary0123456789';
    const api = await startApi({
      answer: () => {
        throw new Error('failed');
      },
    });
    const query = `callback=f&authorization_bearer=${canary}`;
    const headers = { Authorization: `Bearer ${canary}` };
    const shapes: [path: string, options?: Options][] = [
      [`/api/v1/clients?${query}`, { token: null }],
      [`/api/v1/clients?authorization_bearer=${canary}`],
      [`/api/v1/clients?callback=f&authorization_bearer=good&x=${canary}`, { token: null }],
      [`/api/v1/nothing?${query}`, { token: null }],
      [`/nothing?${query}`, { token: null }],
      [`/api/v1/clients?${query}`, { method: 'POST', body: '{}', token: null }],
      [`/api/v1/clients.xml?${query}`, { token: null }],
      [`/api/v1/clients?callback=1&authorization_bearer=${canary}`, { token: null }],
      [`/api/v1/clients?${query}&authorization_bearer=x`, { token: null }],
      [`/api/v1/clients?${query}&a=%ff`, { token: null }],
      [`/api/v1/clients?${query}`, { plain: true, token: null }],
      [`/api/v1/clients?${query}&a=${'x'.repeat(9000)}`, { token: null }],
      ['/api/v1/clients', { headers }],
      ['/api/v1/clients', { headers: { ...headers, Host: 'nobody.test' } }],
    ];
    for (const [path, options] of shapes) {
      const answer = await api.call(path, options);
      assert.ok(!answer.text.includes(canary) && !JSON.stringify(answer.headers).includes(canary), path);
    }
    assert.ok(!JSON.stringify(api.logs).includes(canary));
    assert.equal(api.logs.filter(({ ms }) => ms !== undefined).length, shapes.length);
    await api.close();
  });

  it('tells tenant, user, operation, status and time of a request', async () => {
    const api = await startApi();
    await api.call('/api/v1/clients/7?envelope=true', { method: 'DELETE', token: 'reader' });
    const { request_id, ms, level, time, pid, hostname, ...rest } = api.logs.at(-1) ?? {};
    assert.deepEqual(rest, {
      method: 'DELETE',
      path: '/api/v1/clients/7',
      operation: 'clients_delete',
      tenant: 'demo',
      user: 8,
      status: 405,
    });
    assert.equal(typeof ms, 'number');
    assert.equal(typeof request_id, 'string');
    await api.close();
  });
});
