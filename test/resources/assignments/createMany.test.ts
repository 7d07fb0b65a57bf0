import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { noRules } from '../../../src/domain/rules/rulebook.ts';
import { invite } from '../../../src/domain/staffing/invite.ts';
import { assertErrors, insist, Staffing } from '../../domain/staffing/scene.ts';
import { type Client, startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { countTrips } from '../../support/proxies/trips.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

/** Makes active employees, without requests of their own. */
const hire = (database: Database, { tenant }: Client, count: number): Promise<number[]> =>
  database.forTenant(tenant).transaction(async transaction => {
    const ids = await transaction.newIds('employees', count);
    const rows = ids.map(id => ({ id, status: 4 as const, firstname: 'A', lastname: String(id) }));
    await transaction.kysely.insertInto('employees').values(rows).execute();
    return [...ids];
  });

forEachApp((client, _, name) => {
  const staffing = new Staffing(client);
  const bulk = (body: object, query = '') => client.call('POST', `/assignments/bulk${query}`, { body });
  const resultsOf = async (body: object, query = ''): Promise<unknown[]> => {
    const { status, text, body: outcome } = await bulk(body, query);
    assert.equal(status, 200, text);
    return outcome.results.map(({ result, error }: Record<string, { code: string }>) => error?.code ?? result);
  };
  const statisticsOf = async (place: number) => (await client.call('GET', `/event-functions/${place}`)).body.statistics;

  describe('a bulk invitation', () => {
    it('creates 500 assignments in one call, with status, remarks, times and history as single ones have', async () => {
      const place = await staffing.shift(...span, { quantity: 500 });
      const employee_ids = await hire(client.database, client, 500);
      const { status, body, text } = await bulk({ event_function_id: place, employee_ids, status: 6, remarks: 'Bus' });
      assert.equal(status, 200, text);
      assert.deepEqual([body.requested, body.created, body.failed], [500, 500, 0]);
      assert.deepEqual(
        body.results.map(({ employee_id }: { employee_id: number }) => employee_id),
        employee_ids,
      );
      assert.equal(await statisticsOf(place), '500/500');
      const { assignment_id, employee_id } = body.results[499];
      const { body: assignment } = await client.call('GET', `/assignments/${assignment_id}`);
      const { start, end, remarks } = assignment;
      assert.deepEqual(
        [assignment.employee_id, assignment.status, start, end, remarks],
        [employee_id, 6, ...span, 'Bus'],
      );
      const { body: history } = await client.call('GET', `/assignments/${assignment_id}/history`);
      assert.deepEqual(
        history.map(({ action, from_status, to_status, data }: Record<string, unknown>) => [
          action,
          from_status,
          to_status,
          data,
        ]),
        [['created', null, 6, { remarks: 'Bus' }]],
      );
    });

    it('tells for each employee what stands against the assignment, and creates the others', async () => {
      const qualifications = [await staffing.qualification()];
      const place = await staffing.shift(...span, { quantity: 2, required_qualifications: qualifications });
      const qualified = () => staffing.employee({ qualifications });
      const [there, booked, absent, free, late] = await Promise.all(Array.from({ length: 5 }, qualified));
      await staffing.assignment(Number(there), place);
      await staffing.assignment(Number(booked), await staffing.shift(...span), 6);
      await staffing.create('busy-dates', { employee_id: absent, start: span[0], end: span[1] });
      const left = [await staffing.employee({ status: 5 }), await staffing.employee({ status: 6 })];
      const unskilled = await staffing.employee();
      const next = await qualified();
      const employee_ids = [there, booked, absent, unskilled, ...left, 999_999_999, free, late, next, free];
      assert.deepEqual(await resultsOf({ event_function_id: place, employee_ids, status: 6 }), [
        'already_in_function',
        'double_booked',
        'absent',
        'not_qualified',
        'reference_inactive',
        'reference_inactive',
        'reference_not_found',
        'created',
        'created',
        'function_full',
      ]);
      assert.equal(await statisticsOf(place), '2/2');
      const forced = await resultsOf({ event_function_id: place, employee_ids: [booked], status: 1 }, '?force=true');
      assert.deepEqual(forced, ['created']);
    });

    it('that is atomic creates all or none, and names the employees in the way', async () => {
      const place = await staffing.shift(...span, { quantity: 2 });
      const employee_ids = await hire(client.database, client, 3);
      const body = { event_function_id: place, employee_ids, status: 6, atomic: 1 };
      const refused = await bulk(body);
      assertErrors(refused, 'function_full event_function_id');
      assert.equal(refused.body.errors[0].employee_id, employee_ids[2]);
      assert.equal(await statisticsOf(place), '0/2');
      assert.deepEqual(await resultsOf({ ...body, employee_ids: employee_ids.slice(1) }), ['created', 'created']);
    });

    it('of more than 500, of none, for no event function or with a status that no new assignment has creates none', async () => {
      const place = await staffing.shift(...span);
      const employee_ids = Array.from({ length: 501 }, (_each, index) => index + 1);
      assertErrors(await bulk({ event_function_id: place, employee_ids }), 'too_many_items employee_ids');
      assertErrors(await bulk({ event_function_id: place, employee_ids: [] }), 'not_empty employee_ids');
      assertErrors(
        await bulk({ event_function_id: 999_999_999, employee_ids: [1] }),
        'reference_not_found event_function_id',
      );
      const employee = await staffing.employee();
      const confirmed = { event_function_id: place, employee_ids: [employee], status: 7 };
      assert.deepEqual(await resultsOf(confirmed), ['invalid_transition']);
    });

    it('that is tried out shows the results and creates none', async () => {
      const place = await staffing.shift(...span);
      const body = { event_function_id: place, employee_ids: [await staffing.employee()] };
      assert.deepEqual(await resultsOf(body, '?dry_run=true'), ['created']);
      assert.deepEqual((await client.call('GET', `/assignments?event_function_id=${place}`)).body, []);
    });

    it('triggers the automations of each new assignment', async () => {
      const automation = await staffing.create('automations', {
        trigger_type: 'assignment.status_changed',
        trigger_configuration: '{"to":[1]}',
        routine_type: 'assignment.set_status',
        routine_configuration: '{"status":8}',
      });
      const place = await staffing.shift(...span);
      const employee_ids = await hire(client.database, client, 3);
      await resultsOf({ event_function_id: place, employee_ids });
      const { body } = await client.call('GET', `/automations/${automation}/deliveries`);
      assert.equal(body.length, 3);
      await client.call('DELETE', `/automations/${automation}`);
    });

    it('and another of the same employees at once fill every place once', async () => {
      const place = await staffing.shift(...span, { quantity: 10 });
      const employee_ids = await hire(client.database, client, 20);
      const responses = await Promise.all(
        [employee_ids, employee_ids.toReversed(), employee_ids].map(ids =>
          insist(() => bulk({ event_function_id: place, employee_ids: ids, status: 6 })),
        ),
      );
      const created = responses.reduce((sum, { body }) => sum + body.created, 0);
      assert.equal(created, 10);
      assert.equal(await statisticsOf(place), '10/10');
    });
  });

  if (name === 'postgres')
    it('a bulk invitation takes as many statements for 500 employees as for 2', { timeout: 60_000 }, async () => {
      const url = await migratedUrl();
      await using proxy = await countTrips(url);
      const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
      const counted = await startApp(database);
      const own = await counted.newClient();
      const scene = new Staffing(own);
      const statementsFor = async (count: number): Promise<number> => {
        const event_function_id = await scene.shift(...span, { quantity: 500 });
        const employee_ids = await hire(database, own, count);
        const invitation = { event_function_id, employee_ids, status: 6 as const, remarks: null, force: false };
        const before = proxy.statements;
        const invited = await database
          .forTenant(own.tenant)
          .transaction(transaction =>
            invite({ ...invitation, atomic: false, rulebook: noRules, apiUserId: null }, transaction),
          );
        assert.equal(invited?.filter(({ errors }) => errors.length === 0).length, count);
        return proxy.statements - before;
      };
      const [few, many] = [await statementsFor(2), await statementsFor(500)];
      await counted.close();
      await database.close();
      assert.equal(many, few);
      assert.ok(few < 40, String(few));
    });
});
