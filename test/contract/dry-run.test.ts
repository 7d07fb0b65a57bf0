import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { ApiResponse } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { type Operation, operationOf, operations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';
import { bodyOf } from './rehearsals.ts';

/**
 * An import that is a dry run is stored as one, to show its results: test/imports/dry-run.test.ts. What belongs to no resource is for
 * sandboxes: test/resources/sandbox.
 */
const writes = operations.filter(
  ({ method, verb, resource }) => method !== 'GET' && verb !== 'import' && resource !== '',
);

/** Headers whose values differ between any two responses. */
const changing = ['date', 'x-request-id', 'etag', 'content-length', 'x-rate-limit-remaining', 'x-rate-limit-reset'];

/** Replaces ids, times and tokens, which differ between a record and one that might have been. */
const levelled = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|\d+/g, '#');

/** Returns the parts of a response that must be equal to those of another. */
const comparable = ({ status, text, headers }: ApiResponse) => ({
  status,
  headers: Object.entries(headers).map(([name, value]) => [name, changing.includes(name) || levelled(String(value))]),
  // Only a rehearsal shows the preview of an export.
  body: levelled(text.replace(/"request_id": "[^"]+"/, '').replace('"preview": []', '"preview": null')),
});

let keys = 0;

forAnyApp((client, app) => {
  const scene = new Scene(client);

  let digests: string;
  before(async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relname <> 'id_blocks'
      order by 1`.execute(client.database.system);
    digests = rows
      .map(
        ({ name }) => `select '${name}', count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0)
          from "${name}" t where tenant_id = $1::bigint`,
      )
      .join(' union all ');
  });

  /**
   * Returns a digest of each of the tenant's tables, except id_blocks, since claimed ids are not returned, and the names of the stored
   * files.
   */
  const contents = async (): Promise<Record<string, unknown>> => {
    const stored: string[] = [];
    for await (const { key } of app.files.store.list(client.tenant.id)) stored.push(key);
    // Named: it is planned once for all of the tests.
    const [result] = await client.database.asOwner(client.tenant.id, ({ send }) =>
      send({ name: 'contents', text: digests, values: [String(client.tenant.id)] }),
    );
    const byTable = Object.fromEntries(result?.rows ?? []);
    return { ...byTable, stored: stored.toSorted(), temporary: await readdir(app.files.temporary).catch(() => []) };
  };

  type Asked = { readonly headers?: Record<string, string>; readonly body?: unknown };

  /** Sends the request with dry_run and asserts that nothing has changed. */
  const rehearse = async (method: string, path: string, asked: Asked = {}, known?: Record<string, unknown>) => {
    const before = known ?? (await contents());
    const response = await client.call(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, asked);
    assert.deepEqual(await contents(), before, `${method} ${path}`);
    return response;
  };

  /** Creates a record that the operation can address: below the remembered record of its parent. */
  const createUnderParent = async ({ resource, parent }: Operation): Promise<number> => {
    const isPlaced = !parent || operationOf(resource, 'create')?.parent;
    return scene.create(resource, isPlaced ? {} : { [parent.field]: await scene.idOf(parent.resource) });
  };

  /** Paths of records that others have made. */
  const places: Readonly<Record<string, () => Promise<string>>> = {
    payRuns_makeExport: async () => {
      const body = { name: 'Rehearsed', period_start: '2025-01-01', period_end: '2025-01-01' };
      const { id } = (await client.call('POST', '/pay-runs', { body })).body;
      await client.call('PUT', `/pay-runs/${id}`, { body: { status: 2 } });
      return `/pay-runs/${id}/exports`;
    },
    payRuns_removePaysheet: async () => {
      const assignment_id = await scene.create('assignments');
      await scene.approve(assignment_id);
      const body = { name: 'Rehearsed', period_start: '2026-01-01', period_end: '2026-12-31' };
      const { id } = (await client.call('POST', '/pay-runs', { body })).body;
      const sheets = await client.call('GET', `/paysheets?assignment_id=${assignment_id}`);
      return `/pay-runs/${id}/paysheets/${sheets.body[0].id}`;
    },
  };

  describe('dry_run=true', () => {
    for (const operation of writes) {
      const { operationId, method, verb, raw, switches, takesBody } = operation;
      const removes = method === 'DELETE';
      const place = places[operationId];
      const addressOf = async () => {
        if (place) return { id: 0, path: await place() };
        const id = verb === 'create' ? 0 : await createUnderParent(operation);
        return { id, path: await scene.pathOf(operation, id) };
      };

      it(`of ${operationId} has the response of the write, and changes nothing`, async () => {
        assert.ok(switches.includes('dry_run'), 'the operation lacks the parameter');
        const { id, path } = await addressOf();
        const asked = removes
          ? {}
          : { body: await bodyOf(operation, id, scene), headers: { 'Idempotency-Key': `rehearsed-${++keys}` } };
        const before = await contents();
        const rehearsed = await rehearse(method, path, asked, before);
        const response = await client.call(method, path, asked);
        assert.ok(response.status < 300, response.text);
        assert.notDeepEqual(await contents(), before, 'the write must change something');
        assert.equal(response.headers['idempotency-replayed'], undefined);
        assert.deepEqual(comparable(rehearsed), comparable(response));
      });

      if (removes || raw || !takesBody) continue;
      it(`of ${operationId} has the errors of the write`, async () => {
        const { path } = await addressOf();
        const body = { nonsense: 1, status: 'none' };
        const rehearsed = await rehearse(method, path, { body });
        assert.equal(rehearsed.status, 422, rehearsed.text);
        assert.deepEqual(comparable(rehearsed), comparable(await client.call(method, path, { body })));
      });
    }

    it('is a real write if it is false or omitted', async () => {
      const id = await scene.create('busy-dates');
      for (const [query, reason] of [
        ['', 'a'],
        ['?dry_run=false', 'b'],
        ['?dry_run=0', 'c'],
      ] as const) {
        await client.call('PUT', `/busy-dates/${id}${query}`, { body: { reason } });
        assert.equal((await client.call('GET', `/busy-dates/${id}`)).body.reason, reason);
      }
    });

    it('checks If-Match as the write does', async () => {
      const path = `/clients/${await scene.create('clients')}`;
      const { headers } = await client.call('GET', path);
      const body = { company: 'Another' };
      for (const [method, asked] of [
        ['PUT', { body }],
        ['DELETE', {}],
      ] as const) {
        const put = (tag: string) => rehearse(method, path, { ...asked, headers: { 'If-Match': tag } });
        assert.equal((await put('"0000"')).body.code, 'precondition_failed');
        assert.ok((await put(String(headers.etag))).status < 300);
      }
    });

    it('takes no notice of what is kept for its Idempotency-Key', async () => {
      const asked = { body: { company: 'Once' }, headers: { 'Idempotency-Key': `rehearsed-${++keys}` } };
      const first = await client.call('POST', '/clients', asked);
      assert.equal(first.status, 201, first.text);
      for (const company of ['Once', 'Twice']) {
        const { status, body, headers } = await rehearse('POST', '/clients', { ...asked, body: { company } });
        assert.deepEqual([status, body.company, headers['idempotency-replayed']], [201, company, undefined]);
        assert.notEqual(body.id, first.body.id);
      }
      const again = await client.call('POST', '/clients', asked);
      assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true']);
    });

    it('keeps the content of a file that it would delete', async () => {
      const path = `/files/${await scene.create('files')}`;
      assert.equal((await rehearse('DELETE', path)).status, 204);
      assert.equal((await client.call('GET', `${path}/content`)).text, 'some bytes');
    });

    it('of a new field leaves the fields of the tenant as they are', async () => {
      const { id } = (await client.call('GET', '/forms?entity=clients')).body[0] ?? { id: await scene.idOf('forms') };
      const body = { name: 'Size', type: 'text', order: 1 };
      const rehearsed = await rehearse('POST', `/forms/${id}/attributes`, { body });
      assert.equal(rehearsed.status, 201, rehearsed.text);
      const field = `dynamic_field_${rehearsed.body.id}`;
      const response = await client.call('POST', '/clients', { body: { company: 'Fields', [field]: 'L' } });
      assert.equal(response.status, 422, response.text);
    });

    it('is rejected for a read-only API user, as the write is', async () => {
      const response = await app.callAs({ ...client, token: client.readOnlyToken }, 'POST', '/clients?dry_run=true', {
        body: { company: 'Never' },
      });
      assert.equal(response.body.code, 'read_only_user');
    });
  });
});
