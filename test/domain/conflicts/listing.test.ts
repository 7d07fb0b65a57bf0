import assert from 'node:assert/strict';
import { before, describe, it, mock } from 'node:test';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';
import type { Staffing } from '../staffing/scene.ts';
import { addTired, conflictsOf, list, settle, tenantWith } from './scene.ts';

forAnyApp((_, app) => {
  describe('a listing of conflicts', () => {
    let client: Client;
    let staffing: Staffing;
    before(async () => {
      ({ client, staffing } = await tenantWith(app, {}));
      await addTired(staffing);
      await settle(client);
    });

    it('is of a period, half-open, by dates of the tenant or date-times', async () => {
      // From 22:00 to 08:00 in UTC; the tenant is two hours ahead.
      const cases: [query: string, found: number][] = [
        ['from=2036-06-13&to=2036-06-14', 1],
        ['from=2036-06-12&to=2036-06-13', 0],
        ['to=2036-06-12T22:00:00Z', 0],
        ['to=2036-06-12T22:00:01Z', 1],
        ['from=2036-06-13T08:00:00Z', 0],
        ['from=2036-06-13T07:59:59Z', 1],
        ['from=2036-06-13T07:59:59Z&severity=error', 0],
        ['from=2036-06-13&to=2036-06-13', 0],
        ['from=2036-06-13T04:00:00Z&to=2036-06-13T04:00:01Z', 1],
        ['from=2036-06-13T04:00:00Z&to=2036-06-13T06:00:00%2B02:00', 0],
        ['from=2036-06-13T04:00:01Z&to=2036-06-13T04:00:00Z', 0],
      ];
      for (const [query, found] of cases) assert.equal((await list(client, `&${query}`)).length, found, query);
      for (const query of ['from=tomorrow', 'to=2036-06-12&to=2036-06-13', 'wait=31', 'wait=x']) {
        const { status, body } = await client.call('GET', `/conflicts?${query}`);
        assert.deepEqual([status, body.code], [400, 'invalid_parameter'], query);
      }
    });

    it('is of a day of 25 hours where the clock changes', async () => {
      const other = await tenantWith(app, null);
      const times = ['2036-10-26T22:10:00Z', '2036-10-26T22:50:00Z'] as const;
      const employee_id = await other.staffing.employee();
      for (const count of [1, 2]) {
        const body = { employee_id, event_function_id: await other.staffing.shift(...times), status: 6 };
        assert.equal((await other.client.call('POST', '/assignments?force=true', { body })).status, 201, `${count}`);
      }
      await settle(other.client);
      const cases = {
        'from=2036-10-26&to=2036-10-27': 1,
        'from=2036-10-27': 0,
        'to=2036-10-27': 1,
        'to=2036-10-26': 0,
      };
      for (const [query, found] of Object.entries(cases))
        assert.equal((await list(other.client, `&${query}`)).length, found, query);
    });

    it('is filtered by its limit with brackets', async () => {
      assert.equal((await list(client, '&limit[]=660&limit=10')).length, 1);
      assert.equal((await list(client, '&limit[]=>660')).length, 0);
      assert.equal(
        (await client.call('GET', '/conflicts?sort=-limit&fields=limit')).text,
        '[\n  {\n    "limit": 660\n  }\n]',
      );
      assert.equal((await client.call('GET', '/clients?limit[]=660')).body.code, 'invalid_parameter');
    });

    it('says up to which change it is complete, in an envelope, too', async () => {
      const { body } = await client.call('GET', '/changes?limit=1000&resource=assignments');
      const { headers } = await client.call('GET', '/conflicts');
      const position = Number(headers['x-position']);
      assert.ok(position >= body.changes.at(-1).position);
      assert.match(String(headers['access-control-expose-headers']), /X-Position/);
      assert.equal((await client.call('GET', '/conflicts?envelope=true')).body.x_position, position);
      await staffing.employee();
      assert.equal((await client.call('GET', '/conflicts')).headers['x-position'], String(position));
    });

    it('has embeds and other formats', async () => {
      const [found] = await list(client, '&embed=employee,assignment,otherAssignment,rule,event');
      assert.deepEqual(
        ['employee', 'assignment', 'otherAssignment', 'rule', 'event'].map(name => typeof found?.[name]),
        Array(5).fill('object'),
      );
      assert.match((await client.call('GET', '/conflicts.csv')).text, /^id,type,/);
      assert.match((await client.call('GET', '/conflicts.xml')).text, /<conflicts>\s*<conflict>/);
    });
  });

  describe('wait', () => {
    it('holds the response until every change before the request is in it', async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      assert.deepEqual(await list(client), []);
      const waits = mock.method(client.database.wakeups, 'waitForConflicts');
      const waiting = client.call('GET', '/conflicts?wait=30');
      // Not before: it would wait for the entries of the conflicts, too.
      await until('the request waits', () => waits.mock.callCount() > 0);
      const found = await conflictsOf(client);
      const response = await waiting;
      assert.deepEqual([await waits.mock.calls[0]?.result, response.body], [true, found]);
      waits.mock.restore();
      assert.equal(response.headers['x-position'], (await client.call('GET', '/conflicts')).headers['x-position']);
    });

    it('is not for what is rejected', async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      const waiting = mock.method(client.database.wakeups, 'waitForConflicts', async () => false);
      for (const query of ['sort=nothing', 'fields=nothing', 'from=tomorrow', 'embed=nothing', 'limit[]=x']) {
        assert.equal((await client.call('GET', `/conflicts?wait=30&${query}`)).status, 400, query);
        assert.equal(waiting.mock.callCount(), 0, query);
      }
      assert.equal((await client.call('GET', '/conflicts?wait=30')).status, 200);
      assert.equal(waiting.mock.callCount(), 1);
      waiting.mock.restore();
    });

    it('ends after its time with what there is', async () => {
      const { client, staffing } = await tenantWith(app, {});
      await addTired(staffing);
      const { status, body, headers } = await client.call('GET', '/conflicts?wait=1');
      assert.deepEqual([status, body, headers['x-position']], [200, [], '0']);
    });
  });
});
