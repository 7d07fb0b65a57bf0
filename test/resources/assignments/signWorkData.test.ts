import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { end, type Item, pause, resume, Site, signed_at, start, useSite, whole } from '../../domain/work/site.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operations, violations } from '../../support/operations.ts';
import { countTrips } from '../../support/proxies/trips.ts';

forAnyApp(client => {
  const site = useSite(client);

  describe('signed work', () => {
    it('becomes open proposals, and its response has the assignments in the order of the items', async () => {
      const event = await site.event({
        configurations: { signed_work_data: { enabled: 1 }, confirmation: { enabled: 0 } },
      });
      const [first, second] = [await site.assignment(event), await site.assignment(event)];
      const halves = [
        { start, end: pause },
        { start: resume, end },
      ];
      const response = await site.sign(
        [
          { assignment_id: second, work_times: halves, wages: [{ wage_type_id: 3, value: 1.5 }] },
          { assignment_id: first, work_times: [{ ...whole, start: '2026-06-12 18:00:00' }] },
        ],
        { remarks: 'Late guests' },
      );
      const operation = operations.find(({ operationId }) => operationId === 'assignments_signWorkData');
      assert.ok(operation);
      assert.deepEqual([response.status, violations(operation, 200, response.body)], [200, []], response.text);
      assert.deepEqual(
        response.body.map(({ id }: { id: number }) => id),
        [second, first],
      );
      assert.deepEqual(response.body[0].open_actions.actions, []);
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

    it('that is sent again adds nothing: neither proposals, nor history, nor an entry in the journal', async () => {
      const id = await site.assignment(await site.event());
      const items = [{ assignment_id: id, work_times: [whole], wages: [{ wage_type_id: 3, value: 1.5 }] }];
      assert.equal((await site.sign(items)).status, 200);
      const stored = async () => {
        const [times, wages] = [await site.rows('work-time-proposals', id), await site.rows('wage-proposals', id)];
        const { body: history } = await client.call('GET', `/assignments/${id}/history`);
        const { body: employees } = await client.call('GET', '/employees');
        return { times, wages, history, employees };
      };
      const { body: cursor } = await client.call('GET', '/changes?after=now');
      const before = await stored();
      assert.deepEqual([before.times.length, before.wages.length], [1, 1]);
      assert.equal(before.wages[0]?.signed_at, signed_at);
      // Whoever signs, and however the times are written.
      const local = { ...whole, start: '2026-06-12 18:00:00' };
      const again = [{ assignment_id: id, work_times: [local], wages: [{ wage_type_id: 3, value: 1.5 }] }];
      const others = { approver: { type: 'planner', id: site.planner }, signed_at: '2026-06-13T08:00:00Z' };
      for (const response of [await site.sign(items), await site.sign(again, others)])
        assert.equal(response.status, 200, response.text);
      assert.deepEqual(await stored(), before);
      const { body: after } = await client.call('GET', `/changes?after=${cursor.next}`);
      assert.deepEqual(after.changes, []);
    });

    it('adds what is new beside what has been signed, and what was rejected or never signed, with a history of its own', async () => {
      const event = await site.event();
      const [first, second] = [await site.assignment(event), await site.assignment(event)];
      const halves = [
        { start, end: pause },
        { start: resume, end },
      ];
      const wage = { wage_type_id: 3, value: 1 };
      // Not signed.
      await site.staffing.create('work-time-proposals', { assignment_id: first, start, end: pause });
      await site.staffing.create('wage-proposals', { assignment_id: first, ...wage });
      await site.sign([{ assignment_id: first, work_times: halves.slice(0, 1), wages: [wage] }]);
      const counts = async (id: number) => [
        (await site.rows('work-time-proposals', id)).length,
        (await site.rows('wage-proposals', id)).length,
        (await client.call('GET', `/assignments/${id}/history`)).body.filter(
          ({ action }: { action: string }) => action === 'signature',
        ).length,
      ];
      assert.deepEqual(await counts(first), [2, 2, 1]);
      const both = [
        { assignment_id: first, work_times: halves.slice(0, 1), wages: [wage] },
        { assignment_id: second, work_times: halves, wages: [wage] },
      ];
      assert.equal((await site.sign(both)).status, 200);
      assert.deepEqual(
        [await counts(first), await counts(second)],
        [
          [2, 2, 1],
          [2, 1, 1],
        ],
      );
      const more = [{ assignment_id: first, work_times: halves, wages: [wage, { ...wage, value: 2 }] }];
      assert.equal((await site.sign(more)).status, 200);
      assert.deepEqual(await counts(first), [3, 3, 2]);
      // A break makes another time of it; what is rejected is no longer signed.
      const signed = (await site.rows('work-time-proposals', second)).map(({ id }) => id);
      for (const [index, status] of [2, 3].entries())
        await client.call('PUT', `/work-time-proposals/${signed[index]}`, { body: { status } });
      assert.equal((await site.sign([{ assignment_id: second, work_times: halves }])).status, 200);
      assert.deepEqual(await counts(second), [3, 1, 2]);
      assert.equal((await site.sign([{ assignment_id: second, work_times: [whole] }])).status, 200);
      assert.deepEqual(await counts(second), [4, 1, 3]);
    });

    it('of one time sent eight times at once is stored once', async () => {
      const id = await site.assignment(await site.event());
      const items = [{ assignment_id: id, work_times: [whole], wages: [{ wage_type_id: 3, value: 1 }] }];
      const responses = await Promise.all(Array.from({ length: 8 }, () => site.sign(items)));
      for (const { status, text } of responses) assert.equal(status, 200, text);
      assert.equal((await site.rows('work-time-proposals', id)).length, 1);
      assert.equal((await site.rows('wage-proposals', id)).length, 1);
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
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
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
  // A response that comes in parts may count as two.
  assert.ok((await tripsOf(items)) < (await tripsOf(items.slice(0, 1))) + 6);
  await app.close();
  await database.close();
});
