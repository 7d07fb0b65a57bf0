import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { resources } from '../../generated/resources.ts';
import type { Answer } from '../support/app.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { exampleBody, type Operation, operations, pathOf } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

/** The resources of staffing, all of whose writes support dry_run. */
const staffing = [
  'assignments',
  'availability-requests',
  'availability-requests-availabilities',
  'availability-requests-definitions',
  'busy-dates',
  'checkins',
  'event-functions',
  'events',
  'livestamps',
] as const;

const writes = operations.filter(
  ({ method, resource }) => method !== 'GET' && (staffing as readonly string[]).includes(resource),
);

type Body = Readonly<Record<string, unknown>>;

/** Bodies with which an update or action changes something; operations not listed here use their example. */
const bodies: Readonly<Record<string, (id: number, scene: Scene) => Body | Promise<Body>>> = {
  assignments_update: () => ({ remarks: 'Comes later', status: 7 }),
  assignments_setStatus: () => ({ status: 7, remarks: null }),
  assignments_setStatuses: id => ({ assignment_ids: [id], status: 7 }),
  assignments_apply: () => ({ maybe: false }),
  assignments_setTime: () => ({ end: '2026-06-13T02:00:00Z' }),
  assignments_approve: async (id, scene) => {
    await scene.create('assignment-wages', { assignment_id: id });
    return { approved_by_planner_id: await scene.idOf('planners') };
  },
  availabilityRequests_update: () => ({}),
  availabilityRequestsAvailabilities_update: () => ({ availabilities: [] }),
  availabilityRequestsDefinitions_update: () => ({ rules: [] }),
  busyDates_update: () => ({ reason: 'School' }),
  checkins_update: () => ({ timestamp: '2026-06-12T15:30:00Z', hash: '77' }),
  eventFunctions_update: () => ({ quantity: 7, start: '2026-06-12T17:00:00Z' }),
  events_update: () => ({ name: 'Another', end: '2026-06-13T03:00:00Z' }),
  livestamps_update: () => ({ timestamp: '2026-06-12T15:30:00Z', latitude: 1 }),
};

/** Returns the parts of a response that must be equal to those of another, without ids and times. */
const comparable = ({ status, text, headers: { location } }: Answer) => ({
  status,
  location: location?.replaceAll(/\d+/g, '#'),
  body: text.replace(/"request_id": "[^"]+"/, '').replaceAll(/\d+/g, '#'),
});

let keys = 0;

forEachApp(client => {
  const scene = new Scene(client);

  /** Returns a digest of each of the tenant's tables, except id_blocks, since claimed ids are not returned. */
  const contents = (): Promise<Record<string, string>> =>
    client.database.asOwner(client.tenant.id, async ({ system }) => {
      const { rows: tables } = await sql<{ name: string }>`
        select c.table_name as name from information_schema.columns c
        join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
        where c.table_schema = current_schema() and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
          and c.table_name <> 'id_blocks'
        order by 1`.execute(system);
      const digests: Record<string, string> = {};
      for (const { name } of tables) {
        const { rows } = await sql<{ digest: string }>`
          select count(*) || ' ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as digest
          from ${sql.id(name)} t where tenant_id = ${client.tenant.id}`.execute(system);
        digests[name] = rows[0]?.digest ?? '';
      }
      return digests;
    });

  const bodyOf = (operation: Operation, id: number): Body | Promise<Body> => {
    if (operation.verb === 'create') return scene.bodyOf(operation.resource);
    // The record exists, so that an upsert is an update.
    return bodies[operation.operationId.replace(/upsert$/, 'update')]?.(id, scene) ?? exampleBody(operation);
  };

  /** Sends the request with dry_run and asserts that nothing has changed. */
  const rehearse = async (
    method: string,
    path: string,
    asked: { headers?: Record<string, string>; body?: unknown },
  ) => {
    const before = await contents();
    const answer = await client.call(method, `${path}?dry_run=true`, asked);
    assert.deepEqual(await contents(), before, `${method} ${path}`);
    return answer;
  };

  describe('dry_run=true', () => {
    for (const operation of writes) {
      const { operationId, method, verb, resource, queries } = operation;
      const removes = method === 'DELETE';

      it(`of ${operationId} returns the response of the real write, and changes nothing`, async () => {
        assert.ok(queries.includes('dry_run'), 'the operation lacks the parameter');
        const id = verb === 'create' ? 0 : await scene.create(resource);
        const path = pathOf(operation, id);
        const body = removes ? {} : { body: await bodyOf(operation, id) };
        const headers: Record<string, string> = removes ? {} : { 'Idempotency-Key': `rehearsed-${++keys}` };
        const rehearsed = await rehearse(method, path, { ...body, headers });
        const answer = await client.call(method, path, { ...body, headers });
        assert.equal(answer.headers['idempotency-replayed'], undefined);
        assert.deepEqual(comparable(rehearsed), comparable(answer));
        if (verb || bodies[operationId]) assert.ok(answer.status < 300, answer.text);
      });

      if (removes) continue;
      it(`of ${operationId} returns the errors of the real write`, async () => {
        const id = verb === 'create' ? 0 : await scene.create(resource);
        const path = pathOf(operation, id);
        const body = { nonsense: 1, status: 'none' };
        const rehearsed = await rehearse(method, path, { body });
        assert.equal(rehearsed.status, 422, rehearsed.text);
        assert.deepEqual(comparable(rehearsed), comparable(await client.call(method, path, { body })));
      });
    }

    it('covers every resource of staffing', () => {
      assert.deepEqual([...new Set(writes.map(({ resource }) => resource))].sort(), [...staffing]);
      for (const name of staffing) assert.ok(resources[name]);
    });

    it('is a real write if it is false or omitted', async () => {
      const id = await scene.create('busy-dates');
      for (const [query, reason] of [
        ['', 'a'],
        ['?dry_run=false', 'b'],
      ] as const) {
        await client.call('PUT', `/busy-dates/${id}${query}`, { body: { reason } });
        assert.equal((await client.call('GET', `/busy-dates/${id}`)).body.reason, reason);
      }
    });

    it('does not delete anything', async () => {
      const id = await scene.create('busy-dates');
      assert.equal((await client.call('DELETE', `/busy-dates/${id}?dry_run=true`)).status, 204);
      assert.equal((await client.call('GET', `/busy-dates/${id}`)).status, 200);
    });
  });
});
