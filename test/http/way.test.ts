import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { negotiate } from '../../src/http/request/negotiate.ts';
import { etagOfBody } from '../../src/http/response/render.ts';
import { codeOf, demo, type Options, startApi } from './support/api.ts';

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
    const { principal, caller, self, limits, fields: _, resources: __, matches, leave, requestId, ...rest } = call;
    const { format } = negotiate({ headers: {} });
    const value = { kind: 'value', name: 'client', value: {} } as const;
    assert.equal(matches(etagOfBody(value, format, demo.id), value), true);
    assert.equal(matches(etagOfBody(value, format, demo.id + 1), value), false);
    assert.equal(limits.filters, 50);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.equal(leave().aborted, false);
    assert.deepEqual(principal.tenant, demo);
    assert.deepEqual(await caller.confirm(), principal);
    assert.equal(principal.apiUser.id, 7);
    assert.equal(self.path, '/api/v1/clients/7.json');
    assert.deepEqual(rest, {
      operation: 'clients_update',
      alias: null,
      params: { id: 7 },
      id: 7,
      externalId: null,
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
    const response = await api.call('/api/v1/clients/7/time', { method: 'PUT', body });
    assert.equal(response.status, 422);
    const errors = JSON.parse(response.text).errors.map(
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
    const response = await api.call('/api/v1/clients/7/time?forse=1', { method: 'PUT', body: '{}' });
    assert.equal(codeOf(response), 'unknown_field');
    assert.match(JSON.parse(response.text).message, /forse.*Did you mean force\?/);
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
    const response = await api.call('/api/v1/clients/7/old');
    assert.deepEqual([response.status, codeOf(response)], [410, 'gone']);
    assert.equal(response.headers.link, '</api/v1/clients/7>; rel="successor-version"');
  });

  it('rejects all writes of a read-only user, overrides too, and nothing else', async () => {
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
      const response = await api.call(path, { ...options, token });
      assert.deepEqual(
        [response.status, codeOf(response), response.headers.allow],
        [405, 'read_only_user', 'GET, HEAD'],
      );
    }
    assert.equal((await api.call('/api/v1/clients', { token })).status, 200);
    assert.equal((await api.call('/api/v1/clients', { token, method: 'HEAD' })).status, 200);
  });

  it('serves what a module brings to the tenants that have it', async () => {
    assert.equal((await api.call('/api/v1/paysheets', { headers: { Host: 'other.test' } })).status, 200);
    assert.equal(codeOf(await api.call('/api/v1/paysheets')), 'module_disabled');
  });
});
