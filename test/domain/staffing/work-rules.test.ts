import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { errorsOf, insist, Staffing } from './scene.ts';

/** An evening shift, and one that begins ten hours after it. */
const evening = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
const morning = ['2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z'] as const;

const warningsOf = ({ headers }: ApiResponse) => JSON.parse(String(headers['x-warnings'] ?? '[]'));
const codesOf = (response: ApiResponse): string[] => errorsOf(response).map(([code]) => code as string);

forAnyApp((shared, app) => {
  /** A tenant whose only rule refuses less than eleven hours of rest, unless `rule` says otherwise. */
  const tenantWith = async (rule: object = {}) => {
    const client = await app.newClient();
    for (const { id } of (await client.call('GET', '/work-rules')).body)
      await client.call('DELETE', `/work-rules/${id}`);
    const staffing = new Staffing(client);
    const body = { name: 'Rest', kind: 'rest', mode: 'refuse', parameters: { minutes: 660 }, ...rule };
    return { client, staffing, rule: await staffing.create('work-rules', body) };
  };
  /** An employee who works in the evening, and an event function in the morning after. */
  const tired = async (staffing: Staffing) => {
    const employee = await staffing.employee();
    const worked = await staffing.assignment(employee, await staffing.shift(...evening), 6);
    return { employee, worked, place: await staffing.shift(...morning) };
  };
  const assign = (client: Client, employee_id: number, event_function_id: number, status: number, query = '') =>
    client.call('POST', `/assignments${query}`, { body: { employee_id, event_function_id, status } });
  const historyOf = async (client: Client, id: number) => (await client.call('GET', `/assignments/${id}/history`)).body;

  describe('a rule that refuses', () => {
    let client: Client;
    let staffing: Staffing;
    let rule: number;
    before(async () => {
      ({ client, staffing, rule } = await tenantWith());
    });

    it('rejects what breaks it, with the values', async () => {
      const { employee, worked, place } = await tired(staffing);
      const response = await assign(client, employee, place, 6);
      assert.equal(response.status, 422, response.text);
      const { message, ...error } = response.body.errors[0];
      assert.deepEqual(error, {
        code: 'work_rule',
        field: 'employee_id',
        rule_id: rule,
        kind: 'rest',
        basis: 'planned',
        actual: 600,
        limit: 660,
        unit: 'minutes',
        start: evening[1],
        end: morning[0],
        assignment_ids: [worked],
      });
      assert.match(message, /rule/);
      assert.equal((await assign(client, employee, place, 6, '?dry_run=true')).status, 422);
      assert.equal((await assign(client, employee, place, 5)).status, 201);
    });

    it('is judged by every way to a booking', async () => {
      const { employee, place } = await tired(staffing);
      const id = await staffing.assignment(employee, place, 1);
      const other = await staffing.newAssignment(...morning, 1);
      assert.deepEqual(codesOf(await staffing.setStatus(id, 6)), ['work_rule']);
      const body = { assignment_ids: [id, other], status: 6 };
      const bulk = await client.call('PUT', '/assignments/status', { body });
      assert.deepEqual(
        bulk.body.results.map(({ result, error }: { result: string; error?: { code: string } }) => [
          result,
          error?.code,
        ]),
        [
          ['failed', 'work_rule'],
          ['changed', undefined],
        ],
      );
      assert.deepEqual(codesOf(await client.call('PUT', `/assignments/${id}`, { body: { status: 6 } })), ['work_rule']);
      const { body: map } = await client.call('GET', `/assignments/${id}/status-map`);
      assert.equal(map.statuses.find(({ value }: { value: number }) => value === 6).reason, 'work_rule');
      const invited = await client.call('POST', '/assignments/bulk', {
        body: { event_function_id: await staffing.shift(...morning), employee_ids: [employee], status: 6 },
      });
      assert.equal(invited.body.results[0].error.code, 'work_rule');
    });

    it('is judged by moves of assignments, event functions and events', async () => {
      const { employee, place } = await tired(staffing);
      const event = await staffing.event('2036-06-14T08:00:00Z', '2036-06-14T12:00:00Z');
      const id = await staffing.assignment(employee, await staffing.place(event), 6);
      const [start, end] = morning;
      const own = (await client.call('GET', `/assignments/${id}`)).body.event_function_id;
      for (const [path, body, field] of [
        [`/assignments/${id}/time`, { start, end }, 'start'],
        [`/assignments/${id}/move`, { event_function_id: place }, 'event_function_id'],
        [`/event-functions/${own}`, { start, end }, 'start'],
        [`/events/${event}`, { start, end }, 'start'],
      ] as const) {
        const response = await client.call('PUT', path, { body });
        assert.deepEqual(errorsOf(response), [['work_rule', field]], path);
        assert.equal((await client.call('PUT', `${path}?force=true`, { body: {} })).status === 500, false);
      }
      const forced = await client.call('PUT', `/events/${event}?force=true`, { body: { start, end } });
      assert.equal(forced.status, 200, forced.text);
      const entry = (await historyOf(client, id)).at(-1);
      assert.deepEqual(entry.overridden, ['work_rule']);
      assert.equal(entry.data.rules[0].actual, 600);
    });

    it('is overridden by force, and the history has the values as they were', async () => {
      const { employee, place } = await tired(staffing);
      const made = await assign(client, employee, place, 6, '?force=true');
      assert.equal(made.status, 201, made.text);
      const [entry] = await historyOf(client, made.body.id);
      assert.deepEqual(entry.overridden, ['work_rule']);
      assert.deepEqual(
        entry.data.rules.map(({ rule_id, actual, limit }: Record<string, number>) => [rule_id, actual, limit]),
        [[rule, 600, 660]],
      );
      // Only what is new or further from the limit is reported.
      assert.equal((await staffing.setStatus(made.body.id, 7)).status, 200);
      const moved = (start: string) =>
        client.call('PUT', `/assignments/${made.body.id}/time`, { body: { start, end: morning[1] } });
      assert.equal((await moved('2036-06-13T08:30:00Z')).status, 200);
      assert.deepEqual(codesOf(await moved('2036-06-13T08:29:00Z')), ['work_rule']);
    });

    it('is overridden by API users with scopes only with the right to write rules', async () => {
      const { employee, place } = await tired(staffing);
      const scopes = ['assignments:write', 'assignments:read', 'employees:read', 'event-functions:read'];
      const as = async (name: string, more: readonly string[]): Promise<Client> => {
        const user = { name, readOnly: false, scopes: [...scopes, ...more] };
        const { id } = await createApiUser(client.database, client.tenant, user);
        const token = await app.tokenOf(client.tenant, id);
        return { ...client, call: (...asked) => app.callAs({ tenant: client.tenant, token }, ...asked) };
      };
      const refused = await assign(await as('planner', []), employee, place, 6, '?force=true');
      assert.deepEqual(codesOf(refused), ['work_rule']);
      const chief = await as('chief', ['work-rules:write']);
      assert.equal((await assign(chief, employee, place, 6, '?force=true')).status, 201);
    });

    it('keeps an application from being assigned automatically', async () => {
      for (const auto_assign_mode of ['assigned', 'provisional']) {
        const { employee } = await tired(staffing);
        const automatic = { auto_assign_enabled: 1, auto_assign_mode };
        const place = await staffing.place(await staffing.event(...morning, automatic));
        const applied = await assign(client, employee, place, 3);
        assert.equal(applied.body.status, 3, applied.text);
        const rested = await assign(client, await staffing.employee(), place, 3);
        assert.notEqual(rested.body.status, 3);
      }
    });

    it('applies no longer once it is off, deleted, or the module is gone', async () => {
      const { client, staffing, rule } = await tenantWith();
      const attempt = async () => {
        const { employee, place } = await tired(staffing);
        return (await assign(client, employee, place, 6)).status;
      };
      assert.equal(await attempt(), 422);
      await client.call('PUT', `/work-rules/${rule}`, { body: { mode: 'off' } });
      assert.equal(await attempt(), 201);
      await client.call('PUT', `/work-rules/${rule}`, { body: { mode: 'refuse' } });
      assert.equal(await attempt(), 422);
      await client.call('DELETE', `/work-rules/${rule}`);
      assert.equal(await attempt(), 201);
    });

    it('lets exactly as many win as fit, of twenty assignments at once, fifty times', async () => {
      const day = { kind: 'hours_per_day', parameters: { minutes: 480 } };
      const { client, staffing } = await tenantWith(day);
      // Each takes 45 minutes, one after the other: ten of them fit.
      const at = (index: number) => new Date(Date.UTC(2036, 6, 1, 5, 45 * index)).toISOString();
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const places = await Promise.all(
        numbers.map(index => staffing.shift(at(index), at(index + 1), { quantity: 50 })),
      );
      for (let round = 0; round < 50; round++) {
        const employee = await staffing.employee();
        const responses = await Promise.all(places.map(place => insist(() => assign(client, employee, place, 6))));
        const won = responses.filter(({ status }) => status === 201).length;
        assert.equal(won, 10, `round ${round}`);
        assert.ok(responses.every(response => response.status === 201 || codesOf(response)[0] === 'work_rule'));
      }
    });
  });

  describe('a rule that warns', () => {
    let client: Client;
    let staffing: Staffing;
    let rule: number;
    before(async () => {
      ({ client, staffing, rule } = await tenantWith({ mode: 'warn' }));
    });

    it('lets the write succeed, with the breach in X-Warnings and in the history', async () => {
      const { employee, worked, place } = await tired(staffing);
      const dry = await assign(client, employee, place, 6, '?dry_run=true');
      assert.equal(warningsOf(dry)[0].actual, 600);
      const made = await assign(client, employee, place, 6);
      assert.equal(made.status, 201, made.text);
      const expected = {
        rule_id: rule,
        kind: 'rest',
        basis: 'planned',
        actual: 600,
        limit: 660,
        unit: 'minutes',
        start: evening[1],
        end: morning[0],
        assignment_ids: [worked],
      };
      assert.deepEqual(warningsOf(made), [expected]);
      assert.ok(String(made.headers['access-control-expose-headers']).includes('X-Warnings'));
      const [entry] = await historyOf(client, made.body.id);
      assert.deepEqual([entry.overridden, entry.data.warned], [[], [expected]]);
      assert.deepEqual(warningsOf(await staffing.setStatus(made.body.id, 7)), []);
    });

    it('is in the envelope, in the results of bulk writes, and in the repetition of a kept response', async () => {
      const { employee, place } = await tired(staffing);
      const id = await staffing.assignment(employee, place, 1);
      const body = { status: 6 };
      const enveloped = await client.call('PUT', `/assignments/${id}/status?dry_run=true&envelope=true`, { body });
      assert.equal(JSON.parse(enveloped.body.x_warnings)[0].rule_id, rule);
      const bulk = await client.call('PUT', '/assignments/status?dry_run=true', {
        body: { ...body, assignment_ids: [id] },
      });
      assert.equal(bulk.body.results[0].warnings[0].actual, 600);
      const headers = { 'idempotency-key': 'warned' };
      const [first, second] = [
        await client.call('PUT', `/assignments/${id}/status`, { body, headers }),
        await client.call('PUT', `/assignments/${id}/status`, { body, headers }),
      ];
      assert.equal(second.headers['idempotency-replayed'], 'true');
      assert.deepEqual(warningsOf(second), warningsOf(first));
      assert.equal(warningsOf(first).length, 1);
    });

    it('warns of moves of an event, once for each breach', async () => {
      const { employee } = await tired(staffing);
      const event = await staffing.event('2036-06-14T08:00:00Z', '2036-06-14T12:00:00Z');
      const id = await staffing.assignment(employee, await staffing.place(event), 6);
      const [start, end] = morning;
      const moved = await client.call('PUT', `/events/${event}`, { body: { start, end } });
      assert.equal(moved.status, 200, moved.text);
      assert.deepEqual(
        warningsOf(moved).map(({ actual }: { actual: number }) => actual),
        [600],
      );
      assert.equal((await historyOf(client, id)).at(-1).data.warned[0].actual, 600);
    });
  });

  describe('what counts', () => {
    it('is a busy date that counts as work, and not another one', async () => {
      const { client, staffing } = await tenantWith();
      for (const [counts_as_work, status] of [
        [1, 422],
        [0, 201],
      ]) {
        const employee_id = await staffing.employee();
        const [start, end] = evening;
        await staffing.create('busy-dates', { employee_id, start, end, counts_as_work });
        const response = await assign(client, employee_id, await staffing.shift(...morning), 6);
        assert.equal(response.status, status, response.text);
      }
    });

    it('is the break of an assignment, and recorded work in place of the plan', async () => {
      const { client, staffing } = await tenantWith({ kind: 'hours_per_day', parameters: { minutes: 480 } });
      const long = ['2036-06-12T08:00:00Z', '2036-06-12T17:00:00Z'] as const;
      const employee = await staffing.employee();
      const pause = { break_start: '2036-06-12T12:00:00Z', break_end: '2036-06-12T13:00:00Z' };
      const place = await staffing.shift(...long);
      assert.deepEqual(codesOf(await assign(client, employee, place, 6)), ['work_rule']);
      const paused = await staffing.shift(...long, pause);
      const made = await assign(client, employee, paused, 6);
      assert.equal(made.status, 201, made.text);
      const more = await staffing.shift('2036-06-12T18:00:00Z', '2036-06-12T19:00:00Z');
      assert.deepEqual(codesOf(await assign(client, employee, more, 6)), ['work_rule']);
      await staffing.create('work-times', {
        event_function_employee_id: made.body.id,
        start: '2036-06-12T08:00:00Z',
        end: '2036-06-12T12:00:00Z',
      });
      assert.equal((await assign(client, employee, more, 6)).status, 201);
    });

    it('is work of weeks before and after, for an average', async () => {
      const { client, staffing } = await tenantWith({
        kind: 'average_hours',
        parameters: { minutes: 240, weeks: 8 },
      });
      const employee = await staffing.employee();
      // 33 hours in the first of eight weeks with 32 hours.
      const week = async (day: number, hours: number) =>
        assign(
          client,
          employee,
          await staffing.shift(
            new Date(Date.UTC(2036, 5, day)).toISOString(),
            new Date(Date.UTC(2036, 5, day, hours)).toISOString(),
          ),
          6,
        );
      assert.equal((await week(3, 20)).status, 201);
      assert.deepEqual(codesOf(await week(3 + 49, 13)), ['work_rule']);
      assert.equal((await week(3 + 56, 13)).status, 201);
      assert.deepEqual(new Set(codesOf(await week(3 + 7, 20))), new Set(['work_rule']));
    });

    it('is only work in the scope of the rule', async () => {
      const { client, staffing, rule } = await tenantWith({ applies_to: { age_below: 18 } });
      const young = async (birthday: string | null) => {
        const employee = await staffing.employee({ birthday });
        await staffing.assignment(employee, await staffing.shift(...evening), 6);
        return (await assign(client, employee, await staffing.shift(...morning), 6)).status;
      };
      assert.deepEqual([await young('2018-06-14'), await young('2018-06-12'), await young(null)], [422, 201, 201]);
      const { employee, place } = await tired(staffing);
      const { body: there } = await client.call('GET', `/event-functions/${place}?fields=function_id`);
      const client_id = await staffing.create('clients', { company: 'C' });
      for (const [applies_to, status] of [
        [{ function_ids: [there.function_id] }, 422],
        [{ employee_ids: [await staffing.employee()] }, 201],
        [{ client_ids: [client_id] }, 201],
      ]) {
        await client.call('PUT', `/work-rules/${rule}`, { body: { applies_to } });
        assert.equal((await assign(client, employee, place, 6, '?dry_run=true')).status, status);
      }
    });
  });

  it('what an automation does breaks no rule', async () => {
    const { client, staffing } = await tenantWith();
    const { employee, place } = await tired(staffing);
    assert.ok(shared);
    const applied = await staffing.assignment(employee, place, 3);
    assert.deepEqual(codesOf(await staffing.setStatus(applied, 6)), ['work_rule']);
    assert.equal((await client.call('GET', `/assignments/${applied}`)).body.status, 3);
  });
});
