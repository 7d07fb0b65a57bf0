import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { catalogue, fieldCatalogue } from '../../generated/errors.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Asked, Client } from '../support/app.ts';
import { newTenant } from '../support/database.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

type Case = readonly [method: string, path: string, asked?: Asked];

const codes = [...Object.keys(catalogue), ...Object.keys(fieldCatalogue)];

const tests = new URL('..', import.meta.url);

/** Codes tested elsewhere: code → test file, which contains the code. */
const elsewhere: Partial<Record<ErrorCode, string>> = {
  scope_missing: 'contract/scopes.test.ts',
  malformed_request: 'http/connection/listen.test.ts',
  headers_too_large: 'http/connection/listen.test.ts',
  request_timeout: 'http/connection/listen.test.ts',
  token_expired: 'tenancy/tokens.test.ts',
  token_revoked: 'tenancy/tokens.test.ts',
  rate_limit_exceeded: 'contract/rate-limits.test.ts',
  idempotency_in_progress: 'contract/idempotency.test.ts',
  response_not_kept: 'contract/kept-responses.test.ts',
  assignment_approved: 'resources/assignments/history.test.ts',
  assignment_paid: 'resources/assignments/history.test.ts',
  correction_open: 'domain/pay/correction.test.ts',
  checkin_order: 'resources/checkins/rules.test.ts',
  invalid_transition: 'resources/pay-runs/rules.test.ts',
  on_pay_run: 'resources/pay-runs/rules.test.ts',
  record_forgotten: 'resources/employees/forgotten.test.ts',
  request_blocked: 'resources/availability-requests-availabilities/rules.test.ts',
  field_deleted: 'attributes/fields.test.ts',
  embed_too_large: 'query/embeds.test.ts',
  cursor_expired: 'resources/changes/list.test.ts',
  // No operation has been withdrawn yet; the test uses a document of its own.
  gone: 'http/way.test.ts',
  internal_error: 'http/response/failures.test.ts',
  service_unavailable: 'contract/long-listings.test.ts',
};

forEachApp((_, app) => {
  let client: Client;
  let scene: Scene;

  before(async () => {
    client = await app.newClient({ modules: new Set() });
    scene = new Scene(client);
  });

  const cases: Partial<Record<ErrorCode, () => Case | Promise<Case>>> = {
    malformed_json: () => ['POST', '/clients', { body: '{' }],
    invalid_parameter: () => ['GET', '/clients?limit=0'],
    unknown_field: () => ['GET', '/clients?nonsense=1'],
    unknown_relation: () => ['GET', '/clients?embed=nonsense'],
    invalid_filter: () => ['GET', '/clients?id=x'],
    invalid_sort: () => ['GET', '/clients?sort=id,id'],
    invalid_cursor: () => ['GET', '/clients?cursor=x'],
    invalid_callback: () => ['GET', '/clients?callback=a()'],
    embed_too_deep: () => ['GET', '/clients?embed=contacts.client.id'],
    invalid_method_override: () => ['GET', '/clients', { headers: { 'X-HTTP-Method-Override': 'PUT' } }],
    missing_token: () => ['GET', '/clients', { headers: { Authorization: '' } }],
    invalid_token: () => ['GET', '/clients', { headers: { Authorization: 'Bearer x' } }],
    https_required: () => ['GET', '/clients', { headers: { 'X-Forwarded-Proto': 'http' } }],
    module_disabled: () => ['GET', '/automations'],
    forbidden: async () => [
      'DELETE',
      `/attributes/${(await client.call('GET', '/attributes?deletable=0&limit=1')).body[0].id}`,
    ],
    not_found: () => ['GET', '/clients/999999999'],
    tenant_disabled: async () => {
      const { id, slug } = await newTenant(app.database);
      await app.database.system.updateTable('tenants').set({ active: false }).where('id', '=', id).execute();
      return ['GET', '/clients', { headers: { Host: `${slug}.test` } }];
    },
    tenant_not_found: () => ['GET', '/clients', { headers: { Host: 'nobody.test' } }],
    method_not_allowed: () => ['DELETE', '/clients'],
    read_only_user: () => ['DELETE', '/clients/1', { headers: { Authorization: `Bearer ${client.readOnlyToken}` } }],
    idempotency_conflict: async () => {
      const headers = { 'Idempotency-Key': 'errors' };
      await client.call('POST', '/clients', { headers, body: { company: 'One' } });
      return ['POST', '/clients', { headers, body: { company: 'Another' } }];
    },
    still_referenced: async () => {
      await scene.create('events');
      return ['DELETE', `/projects/${(await client.call('GET', '/events?limit=1&sort=-id')).body[0].project_id}`];
    },
    precondition_failed: async () => [
      'DELETE',
      `/clients/${await scene.idOf('clients')}`,
      { headers: { 'If-Match': '"x"' } },
    ],
    payload_too_large: () => ['POST', '/clients', { body: `{"company":"${'x'.repeat(1_048_576)}"}` }],
    uri_too_long: () => ['GET', `/clients?company=${'x'.repeat(9000)}`],
    range_not_satisfiable: async () => [
      'GET',
      `/files/${await scene.idOf('files')}/content`,
      { headers: { Range: 'bytes=1000-' } },
    ],
    unsupported_media_type: () => ['POST', '/clients', { headers: { 'Content-Type': 'text/plain' }, body: '{}' }],
    validation_failed: () => ['POST', '/clients', { body: {} }],
  };

  describe('every code of the catalogue', () => {
    it('has a test', () => {
      assert.deepEqual([...Object.keys(cases), ...Object.keys(elsewhere)].sort(), Object.keys(catalogue).sort());
      for (const [code, file] of Object.entries(elsewhere))
        assert.match(readFileSync(new URL(file, tests), 'utf8'), new RegExp(`\\b${code}\\b`), code);
    });

    it('has one row at the URL that responses name', async () => {
      const { status, text } = await client.call('GET', '/docs/errors.html');
      assert.equal(status, 200);
      const rows = [...text.matchAll(/ id="(.+?)">(.*?)<\/(?:tr|h1)>/gs)].slice(1);
      assert.deepEqual(rows.map(([, code]) => code).sort(), [...new Set(codes)].sort());
      for (const [, code = '', row] of rows)
        if (code in catalogue) assert.ok(row?.includes(`<td>${catalogue[code as ErrorCode].status}</td>`), code);
    });

    it('suggests the intended name for a misspelled one, wherever names are accepted', async () => {
      const slips: [query: string, meant: string][] = [
        ['compny=x', 'company'],
        ['fields=id,compny', 'company'],
        ['sort=-compny', 'company'],
        ['embed=contact', 'contacts'],
        ['embed=contacts.lastnam', 'lastname'],
        ['limt=3', 'limit'],
      ];
      for (const [query, meant] of slips) {
        const { status, body } = await client.call('GET', `/clients?${query}`);
        assert.equal(status, 400, query);
        assert.match(body.message, new RegExp(`Did you mean ${meant}\\?`), query);
      }
    });

    for (const [code, make] of Object.entries(cases)) {
      const { status } = catalogue[code as ErrorCode];

      it(`${code} is ${status} in the common format, with the headers of every response`, async () => {
        const [method, path, asked = {}] = await make();
        const { status: got, headers, body, text } = await client.call(method, path, asked);
        assert.deepEqual([got, body.code], [status, code], text);
        for (const member of ['message', 'description', 'request_id']) assert.ok(body[member], member);
        assert.equal(body.documentation_url, `/api/v1/docs/errors.html#${code}`);
        assert.equal(body.request_id, headers['x-request-id']);
        for (const name of ['limit', 'remaining', 'reset'])
          assert.match(String(headers[`x-rate-limit-${name}`]), /^\d+$/);
        assert.equal(headers['accept-encoding'], 'gzip');
        assert.equal(headers['content-encoding'], 'gzip');
        assert.equal(headers['access-control-allow-origin'], '*');
        assert.equal(headers['x-content-type-options'], 'nosniff');
        assert.equal(headers.etag, undefined);
        assert.equal(Array.isArray(body.errors), status === 422);
      });

      it(`${code} is the same in XML and in an envelope`, async () => {
        const [method, path, asked = {}] = await make();
        const [address = '', query] = path.split('?');
        const xml = await client.call(method, `${address}.xml${query === undefined ? '' : `?${query}`}`, asked);
        assert.equal(xml.status, status);
        assert.equal(xml.headers['content-type'], 'application/xml; charset=utf-8');
        // With an Idempotency-Key, another URL is another request.
        assert.match(xml.text, new RegExp(`^<\\?xml[^>]*>\n<error>\n  <code>${code}</code>`));
        const separator = query === undefined ? '?' : '&';
        const { status: outer, body } = await client.call(method, `${path}${separator}envelope=true`, asked);
        assert.deepEqual([outer, body.status_code, body.response.code], [200, status, code]);
        assert.equal(body.x_request_id, body.response.request_id);
        assert.match(xml.text, new RegExp(`<documentation_url>/api/v1/docs/errors\\.html#${code}</documentation_url>`));
        assert.equal(body.response.documentation_url, `/api/v1/docs/errors.html#${code}`);
        assert.equal(typeof body.x_rate_limit_remaining, 'number');
      });
    }
  });
});
