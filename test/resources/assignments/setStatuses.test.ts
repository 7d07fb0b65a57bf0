import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { literal } from '../../../src/db/ids.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { noRules } from '../../../src/domain/rules/rulebook.ts';
import { changeStatus } from '../../../src/domain/staffing/change-status.ts';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import { type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { countTrips } from '../../support/proxies/trips.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

/** Makes invited assignments of as many new employees. */
const invite = (database: Database, { tenant }: Client, place: number, count: number): Promise<number[]> =>
  database.asOwner(tenant.id, async transaction => {
    const employees = await transaction.newIds('employees', count);
    const ids = await transaction.newIds('assignments', count);
    await sql`with e as (
        insert into employees (tenant_id, id, firstname, lastname)
        select ${tenant.id}::bigint, n, 'A', n::text from unnest(${literal(employees)}::bigint[]) n
      ) insert into assignments (tenant_id, id, employee_id, event_function_id, effective_start, effective_end)
        select ${tenant.id}::bigint, a.id, a.employee, ${place}::bigint, ${span[0]}::timestamptz, ${span[1]}::timestamptz
        from unnest(${literal(ids)}::bigint[], ${literal(employees)}::bigint[]) a(id, employee)`.execute(
      transaction.system,
    );
    return [...ids];
  });

forEachApp((client, _, name) => {
  const staffing = new Staffing(client);

  describe('a bulk change', () => {
    it('takes 500 assignments that a filter finds in one call, and counts them', async () => {
      const place = await staffing.shift(...span, { quantity: 500 });
      await invite(client.database, client, place, 500);
      const response = await client.call('PUT', `/assignments/status?event_function_id=${place}`, {
        body: { status: 6 },
      });
      assert.equal(response.status, 200, response.text.slice(0, 500));
      assert.deepEqual([response.body.requested, response.body.changed, response.body.failed], [500, 500, 0]);
      assert.equal(
        (await client.call('GET', `/event-functions/${place}?fields=statistics`)).body.statistics,
        '500/500',
      );
      const { body } = await client.call('GET', `/assignments/${response.body.results[499].assignment_id}/history`);
      assert.deepEqual([body[0].from_status, body[0].to_status], [1, 6]);
    });

    it('of more than 500 that a filter finds changes none', async () => {
      const place = await staffing.shift(...span, { quantity: 1000 });
      await invite(client.database, client, place, 501);
      const path = `/assignments/status?event_function_id=${place}`;
      assertErrors(await client.call('PUT', path, { body: { status: 6 } }), 'too_many_items assignment_ids');
      assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '0/1000');
    });

    it('combines filters as listings do, and takes force', async () => {
      const employee = await staffing.employee();
      await staffing.assignment(employee, await staffing.shift(...span), 6);
      const place = await staffing.shift(...span, { quantity: 5 });
      const [clashing, denied] = [
        await staffing.assignment(employee, place),
        await staffing.assignment(await staffing.employee(), place),
      ];
      await staffing.setStatus(denied, 8);
      const path = `/assignments/status?event_function_id=${place}&status=1,2`;
      const refused = await client.call('PUT', path, { body: { status: 6 } });
      assert.deepEqual(
        refused.body.results.map(({ assignment_id, error }: { assignment_id: number; error: { code: string } }) => [
          assignment_id,
          error.code,
        ]),
        [[clashing, 'double_booked']],
      );
      assert.equal((await client.call('PUT', `${path}&force=true`, { body: { status: 6 } })).body.changed, 1);
      const unknown = await client.call('PUT', '/assignments/status?nonsense=1', { body: { status: 6 } });
      assert.deepEqual([unknown.status, unknown.body.code], [400, 'unknown_field']);
    });

    it('that is atomic changes all or none, and writes no history for none', async () => {
      const place = await staffing.shift(...span, { quantity: 2 });
      const ids = await invite(client.database, client, place, 3);
      const bulk = (assignment_ids: readonly number[]) =>
        client.call('PUT', '/assignments/status', { body: { assignment_ids, status: 6, atomic: true } });
      const refused = await bulk(ids);
      assertErrors(refused, 'function_full status');
      assert.equal(refused.body.errors[0].assignment_id, ids[2]);
      for (const id of ids) {
        assert.equal(await staffing.statusOf(id), 1);
        assert.deepEqual((await client.call('GET', `/assignments/${id}/history`)).body, []);
      }
      assert.equal((await bulk(ids.slice(0, 2))).body.changed, 2);
    });
  });

  if (name === 'postgres')
    it('a bulk change takes as many statements for 500 assignments as for 2', { timeout: 60_000 }, async () => {
      const url = await migratedUrl();
      await using proxy = await countTrips(url);
      const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
      const counted = await startApp(database);
      const own = await counted.newClient();
      const scene = new Staffing(own);
      // Without the request around it, which looks for its tenant and token once in a while.
      const statementsFor = async (count: number): Promise<number> => {
        const place = await scene.shift(...span, { quantity: 500 });
        const ids = await invite(database, own, place, count);
        const change = {
          ids,
          to: 6 as const,
          remarks: 'All',
          force: false,
          atomic: false,
          rulebook: noRules,
          apiUserId: null,
        };
        const before = proxy.statements;
        const outcomes = await database
          .forTenant(own.tenant)
          .transaction(transaction => changeStatus(change, transaction));
        const { statements } = proxy;
        assert.equal(outcomes.filter(({ result }) => result === 'changed').length, count);
        return statements - before;
      };
      const few = await statementsFor(2);
      assert.equal(await statementsFor(500), few);
      assert.ok(few < 30, String(few));
      await counted.close();
      await database.close();
    });
});
