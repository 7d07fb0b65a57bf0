import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { end, type Item, pause, resume, Site, signed_at, start, useSite, whole } from '../../domain/work/site.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, scratchUrl } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { operations, violations } from '../../support/operations.ts';
import { countTrips } from '../../support/proxies/trips.ts';

forEachApp(client => {
  const site = useSite(client);

  describe('signed work', () => {
    it('becomes open proposals, and is answered with the assignments in the order of the items', async () => {
      const event = await site.event({
        configurations: { signed_work_data: { enabled: 1 }, confirmation: { enabled: 0 } },
      });
      const [first, second] = [await site.assignment(event), await site.assignment(event)];
      const halves = [
        { start, end: pause },
        { start: resume, end },
      ];
      const answer = await site.sign(
        [
          { assignment_id: second, work_times: halves, wages: [{ wage_type_id: 3, value: 1.5 }] },
          { assignment_id: first, work_times: [{ ...whole, start: '2026-06-12 18:00:00' }] },
        ],
        { remarks: 'Late guests' },
      );
      const operation = operations.find(({ operationId }) => operationId === 'assignments_signWorkData');
      assert.ok(operation);
      assert.deepEqual([answer.status, violations(operation, 200, answer.body)], [200, []], answer.text);
      assert.deepEqual(
        answer.body.map(({ id }: { id: number }) => id),
        [second, first],
      );
      assert.deepEqual(answer.body[0].open_actions.actions, []);
      const signature = {
        status: 1,
        remarks: 'Late guests',
        signed_by_type: 'contact',
        signed_by_id: site.contact,
        signed_at,
        signature_file_id: null,
        decided_at: null,
      };
      const told = await site.rows('work-time-proposals', second);
      assert.equal(told.length, 2);
      for (const [index, row] of told.entries()) assert.deepEqual({ ...row, ...halves[index], ...signature }, row);
      const [only] = await site.rows('work-time-proposals', first);
      assert.deepEqual(
        { ...only, ...whole, ...signature },
        only,
        'a time without an offset is in the time zone of the tenant',
      );
      const [wage] = await site.rows('wage-proposals', second);
      assert.deepEqual([wage?.wage_type_id, wage?.value, wage?.status, wage?.remarks], [3, 1.5, 1, 'Late guests']);
      const { body: history } = await client.call('GET', `/assignments/${second}/history`);
      const { action, data } = history.at(-1);
      assert.deepEqual(
        [action, data],
        ['signature', { approver: { type: 'contact', id: site.contact }, method: 'signature', signed_at }],
      );
    });

    it('is stored once for an Idempotency-Key, and not at all in a dry run', async () => {
      const id = await site.assignment(await site.event());
      const items = [{ assignment_id: id, work_times: [whole] }];
      const rehearsed = await site.sign(items, {}, '?dry_run=true');
      assert.deepEqual([rehearsed.status, rehearsed.body[0].id], [200, id]);
      assert.deepEqual(await site.rows('work-time-proposals', id), []);
      const body = { approver: { type: 'planner', id: site.planner }, signed_at, method: 'pin', items };
      const asked = { headers: { 'Idempotency-Key': `signed-${id}` }, body };
      for (let count = 0; count < 2; count++)
        assert.equal((await client.call('POST', '/assignments/signed-work-data', asked)).status, 200);
      assert.equal((await site.rows('work-time-proposals', id)).length, 1);
    });
  });
});

it('signed work of many assignments takes no trip to the database for each of them', async () => {
  await using proxy = await countTrips(await scratchUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  await database.migrate();
  const app = await startApp(database);
  const client = await app.newClient();
  const site = await new Site(client).prepare();
  const event = await site.event();
  const place = await site.place(event, { quantity: 40 });
  const items: Item[] = [];
  for (let count = 0; count < 12; count++) {
    const assignment_id = await site.staffing.assignment(await site.employee(), place, 6);
    items.push({ assignment_id, work_times: [{ start, end }], wages: [{ wage_type_id: 3, value: 1 }] });
  }
  const tripsOf = async (some: readonly Item[]): Promise<number> => {
    const before = proxy.trips;
    assert.equal((await site.sign(some)).status, 200);
    return proxy.trips - before;
  };
  await tripsOf(items.slice(0, 1));
  // An answer that comes in parts may count as two.
  assert.ok((await tripsOf(items)) < (await tripsOf(items.slice(0, 1))) + 6);
  await app.close();
  await database.close();
});
