import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { followJournal } from '../../../src/automations/follow.ts';
import { finishMoves } from '../../../src/automations/sandbox/clock.ts';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { Workshop } from '../../automations/work.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { type Client, startApp } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { replaceForTenants } from '../../support/replace.ts';
import { day, flush, hour, inboxOf, instant, minute, moveTo, timeOf } from './scene.ts';

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;
  let now: number;

  beforeEach(async () => {
    client = await app.newClient({ sandbox: true });
    scene = new Staffing(client);
    now = await timeOf(client);
  });

  const event = (after: number, more = {}) => scene.event(instant(now + after), instant(now + after + 4 * hour), more);

  describe('the clock of a sandbox', () => {
    it('shows the real time, and the new one at once after it is moved, everywhere', async () => {
      assert.ok(Math.abs(now - Date.now()) < minute);
      const later = now + 40 * day;
      const { status, body, text } = await moveTo(client, later);
      assert.equal(status, 200, text);
      assert.deepEqual(body, { now: instant(later) });
      const shown = await timeOf(client);
      assert.ok(shown >= later && shown < later + hour);
      const { created_at } = (await client.call('POST', '/projects', { body: { name: 'P' } })).body;
      assert.ok(Date.parse(created_at) >= later && Date.parse(created_at) < later + hour);
      const id = await event(40 * day + hour);
      assert.deepEqual((await client.call('GET', `/events/upcoming?fields=id&id=${id}`)).body, [{ id }]);
    });

    it('does not say that it has moved if its tenant is disabled before it is there', async t => {
      const disabling = replaceForTenants(app.database, db => ({
        transaction: async change => {
          const stored = await db.transaction(change);
          await updateTenant(app.database, db.tenant, { active: false }, 'test');
          return stored;
        },
      }));
      const other = await startApp(disabling);
      t.after(() => other.close());
      const { status, body } = await moveTo(await other.newClient({ sandbox: true }), now + day);
      assert.deepEqual([status, body.code], [403, 'tenant_disabled']);
    });

    it('moves forward only, at most to ten years ahead', async () => {
      for (const [moment, message] of [
        [now - 2000, /^now: the clock shows .* and moves forward only\.$/],
        [now + 3660 * day, /at most 10 years ahead/],
      ] as const) {
        const { status, body } = await moveTo(client, moment);
        assert.deepEqual([status, body.code], [422, 'validation_failed']);
        const [{ code, field, message: said }] = body.errors;
        assert.deepEqual([code, field], ['out_of_range', 'now']);
        assert.match(said, message);
      }
      await moveTo(client, now + day);
      assert.equal((await moveTo(client, now + 23 * hour)).status, 422);
      // The second has the form of a date-time, and is none.
      for (const moment of ['tomorrow', '2026-13-01']) {
        const { status, body } = await moveTo(client, moment);
        assert.equal(status, 422);
        assert.match(body.errors[0].message, /^now: a date-time is expected: RFC 3339 \(2026-04-01T18:00:00\+02:00\)/);
      }
      assert.equal((await client.call('PUT', '/sandbox/clock', { body: { now: null } })).status, 422);
    });

    it('is shown in XML, with a tag that changes with the time', async () => {
      const { text, headers } = await client.call('GET', '/sandbox/clock.xml');
      assert.match(text, /<clock>\s*<now>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ<\/now>\s*<\/clock>/);
      await moveTo(client, now + day);
      const later = { 'If-None-Match': String(headers.etag) };
      assert.equal((await client.call('GET', '/sandbox/clock.xml', { headers: later })).status, 200);
    });

    it('takes a time in the zone of the tenant', async () => {
      const year = new Date(now).getUTCFullYear() + 1;
      assert.deepEqual((await moveTo(client, `${year}-07-01 09:00:00`)).body, { now: `${year}-07-01T07:00:00Z` });
      assert.deepEqual((await moveTo(client, `${year}-07-02`)).body, { now: `${year}-07-01T22:00:00Z` });
    });

    it('is not moved by a dry run, which has the response and the errors of the request', async () => {
      await automate(client, ['event.starts_in', {}]);
      await event(hour);
      const rehearse = (after: number) =>
        client.call('PUT', '/sandbox/clock?dry_run=true', { body: { now: instant(now + after) } });
      const { status, body } = await rehearse(day);
      assert.deepEqual([status, body], [200, { now: instant(now + day) }]);
      assert.equal((await rehearse(-day)).status, 422);
      assert.ok((await timeOf(client)) < now + minute);
      assert.deepEqual(await inboxOf(client), []);
    });

    it('is moved once by two requests with one Idempotency-Key', async () => {
      const asked = { headers: { 'Idempotency-Key': 'once' } };
      const first = await moveTo(client, now + day, asked);
      await moveTo(client, now + 2 * day);
      const again = await moveTo(client, now + day, asked);
      assert.deepEqual([again.status, again.text, again.headers['idempotency-replayed']], [200, first.text, 'true']);
      assert.ok((await timeOf(client)) >= now + 2 * day);
    });

    it('is one of each sandbox', async () => {
      const other = await app.newClient({ sandbox: true });
      await moveTo(client, now + 30 * day);
      assert.ok((await timeOf(other)) < now + hour);
    });
  });

  describe('on its way, the clock', () => {
    it('runs what becomes due in the order of the moments, each with the clock at its moment', async () => {
      const hours = [5, 29, 3, 50];
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      await automate(client, ['event.starts_in', { minutes: 90 }]);
      for (const after of hours) await event(after * hour);
      assert.equal((await moveTo(client, now + 49 * hour)).status, 200);
      const messages = await inboxOf(client);
      const expected = hours
        .toSorted((a, b) => a - b)
        .flatMap(after => [90, 60].map(minutes => now + after * hour - minutes * minute))
        .filter(moment => moment <= now + 49 * hour);
      assert.equal(messages.length, expected.length);
      for (const [index, { received_at, body }] of messages.entries()) {
        const late = Date.parse(received_at) - (expected[index] ?? 0);
        assert.ok(late >= 0 && late < 20 * minute, `${received_at} is not soon after ${instant(expected[index] ?? 0)}`);
        const { type, timestamp } = JSON.parse(body);
        assert.deepEqual([type, timestamp.slice(0, 16)], ['event.starts_in', received_at.slice(0, 16)]);
      }
    });

    it('lets what it runs trigger the next: a check-in of a moment, a change of status, and the record of both', async () => {
      await automate(client, ['checkin.created', {}], ['assignment.set_status', { status: 7 }]);
      await automate(client, ['assignment.status_changed', { to: [7] }]);
      await automate(client, ['record.changed', { resource: ['assignments'], fields: ['status'], include: 'record' }]);
      const shift = await scene.shift(instant(now + hour), instant(now + 5 * hour));
      const id = await scene.assignment(await scene.employee(), shift);
      await scene.setStatus(id, 6);
      await moveTo(client, now + 50 * minute);
      const first = (await inboxOf(client)).length;
      const body = { assignment_id: id, type: 1, source: 1, timestamp: instant(now + 50 * minute) };
      assert.equal((await client.call('POST', '/checkins', { body })).status, 201);
      await flush(client);
      const added = (await inboxOf(client)).slice(first).map(({ body }) => JSON.parse(body));
      assert.deepEqual(added.map(({ type }) => type).toSorted(), ['assignment.status_changed', 'record.changed']);
      const { data } = added.find(({ type }) => type === 'record.changed');
      assert.deepEqual([data.id, data.record.status, data.by.type], [id, 7, 'automation']);
    });

    it('tells of all changes of a record in their order before the response, whatever the order of their ids', async () => {
      await automate(client, ['record.changed', { resource: ['projects'] }]);
      const { id } = (await client.call('POST', '/projects', { body: { name: 'P0' } })).body;
      for (const name of ['P1', 'P2', 'P3']) await client.call('PUT', `/projects/${id}`, { body: { name } });
      const db = client.database.forTenant(client.tenant);
      await followJournal(db, new Workshop(client.database, client.tenant).dependencies().fields);
      // As if several processes had added them, each with ids of its own.
      await db.transaction(({ kysely }) =>
        kysely.updateTable('automation_deliveries').set({ id: sql<number>`1000000000 - id` }).execute(),
      );
      await flush(client);
      const told = (await inboxOf(client)).map(({ body }) => JSON.parse(body).data.position);
      assert.equal(told.length, 4);
      assert.deepEqual(
        told,
        told.toSorted((a, b) => a - b),
      );
    });

    it('sends what is due in one second in the order in which it happened, and lists it so, whatever the order of ids', async () => {
      await automate(client, ['assignment.status_changed', {}]);
      const shift = await scene.shift(instant(now + day), instant(now + day + hour), { quantity: 9 });
      const id = await scene.assignment(await scene.employee(), shift);
      for (const status of [3, 5, 6, 7, 8]) await scene.setStatus(id, status);
      const db = client.database.forTenant(client.tenant);
      const inOneSecond = { next_attempt_at: instant(now - hour), id: sql<number>`1000000000 - id` };
      await db.transaction(({ kysely }) => kysely.updateTable('automation_deliveries').set(inOneSecond).execute());
      await flush(client);
      const statusesOf = (messages: readonly { readonly body: string }[]) =>
        messages.map(({ body }) => JSON.parse(body).data.to);
      await db.transaction(({ kysely }) =>
        kysely
          .updateTable('sandbox_inbox')
          .set({ id: sql<number>`1000000000 - id`, received_at: instant(now) })
          .execute(),
      );
      assert.deepEqual(statusesOf(await inboxOf(client)), [1, 3, 5, 6, 7, 8]);
      const [, third] = await inboxOf(client, '?limit=2');
      assert.deepEqual(statusesOf(await inboxOf(client, `?after=${third?.id}&limit=2`)), [5, 6]);
    });

    it('finds places open or filled as they are at the moment', async () => {
      const automations = [
        await automate(client, ['function.understaffed', { minutes: 60 }]),
        await automate(client, ['function.understaffed', { minutes: 0 }]),
      ];
      const [open, filled] = [
        await scene.shift(instant(now + 10 * hour), instant(now + 12 * hour), { quantity: 1 }),
        await scene.shift(instant(now + 20 * hour), instant(now + 22 * hour), { quantity: 1 }),
      ];
      const id = await scene.assignment(await scene.employee(), filled);
      await scene.setStatus(id, 6);
      await moveTo(client, now + 2 * day);
      for (const automation of automations)
        assert.deepEqual(
          (await deliveriesOf(client, automation)).map(({ data }) => data.event_function_id),
          [open],
        );
    });

    it('repeats deliveries that were not accepted, with the same webhook-id and new signatures', async () => {
      const automation = await automate(
        client,
        ['event.starts_in', { minutes: 60 }],
        ['webhook.post', { url: 'https://503.invalid/hook' }],
      );
      await event(3 * hour);
      await moveTo(client, now + 2 * hour);
      const [pending] = await deliveriesOf(client, automation);
      assert.deepEqual([pending?.status, pending?.attempt, pending?.response_status], [1, 1, 503]);
      const next = Date.parse(pending?.next_attempt_at ?? '');
      assert.ok(next > now + 2 * hour && next < now + 3 * hour);
      await moveTo(client, now + 2 * day);
      const [failed] = await deliveriesOf(client, automation);
      assert.deepEqual([failed?.status, failed?.attempt, failed?.next_attempt_at], [3, 4, null]);
      const messages = await inboxOf(client);
      assert.deepEqual(
        messages.map(({ attempt, response_status }) => [attempt, response_status]),
        [1, 2, 3, 4].map(attempt => [attempt, 503]),
      );
      assert.equal(new Set(messages.map(({ headers }) => headers['webhook-id'])).size, 1);
      const pauses = messages
        .map(({ received_at }) => Date.parse(received_at))
        .map((at, index, all) => at - (all[index - 1] ?? at));
      assert.ok(pauses[1] && pauses[2] && pauses[3] && pauses[1] < pauses[2] && pauses[2] < pauses[3]);
    });

    it('runs each automation once, however many requests move it at the same time', async () => {
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      for (const after of [2, 4, 6, 8]) await event(after * hour);
      const responses = await Promise.all([7, 8, 9, 9].map(after => moveTo(client, now + after * hour)));
      for (const { status, text } of responses) assert.equal(status, 200, text);
      const messages = await inboxOf(client);
      assert.equal(messages.length, 4);
      const starts = messages.map(({ body }) => JSON.parse(body).data.start);
      assert.deepEqual(starts, starts.toSorted());
      assert.ok((await timeOf(client)) >= now + 9 * hour);
    });

    it('finishes what another process has begun', async () => {
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      await event(3 * hour);
      const due = instant(now + 5 * hour);
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.insertInto('clock_moves').values({ id: 1, due }).execute();
      });
      await finishMoves(new Workshop(client.database, client.tenant).dependencies());
      assert.ok((await timeOf(client)) >= now + 5 * hour);
      const [message] = await inboxOf(client);
      assert.ok(Date.parse(message?.received_at ?? '') < now + 3 * hour);
    });

    it('has the queue of the workers follow it', async () => {
      const automation = await automate(
        client,
        ['event.starts_in', { minutes: 60 }],
        ['webhook.post', { url: 'https://503.invalid/' }],
      );
      await event(3 * hour);
      const nextAttempt = async () => {
        const [{ next_attempt_at } = {}] = await deliveriesOf(client, automation);
        return Date.parse(next_attempt_at ?? '');
      };
      await moveTo(client, now + 2 * hour);
      await moveTo(client, (await nextAttempt()) + 1000);
      assert.equal((await moveTo(client, (await timeOf(client)) + minute / 2)).status, 200);
      assert.equal((await deliveriesOf(client, automation))[0]?.attempt, 2);
      const { rows } = await sql<{ real: string; ahead: number }>`
        select max(start_after) as real, max(clock_ahead) as ahead
        from jobs.job join tenants on tenants.id::text = job.group_id
        where job.name = 'deliveries' and job.group_id = ${String(client.tenant.id)}`.execute(client.database.system);
      const [{ real = '', ahead = 0 } = {}] = rows;
      assert.ok(Math.abs(Date.parse(real) + Number(ahead) - (await nextAttempt())) < 2000);
    });

    it('runs nothing if the tenant lacks the module of automations', async () => {
      const bare = await app.newClient({ sandbox: true, modules: new Set(['checkins']) });
      assert.equal((await moveTo(bare, now + day)).status, 200);
      assert.ok((await timeOf(bare)) >= now + day);
    });
  });
});
