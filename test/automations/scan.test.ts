import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { scan, scanTenant } from '../../src/automations/scan.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

const minute = 60_000;
const start = '2031-06-01T10:00:00Z';
const end = '2031-06-01T18:00:00Z';
const ahead = (minutes: number): Date => new Date(Date.parse(start) - minutes * minute);

forAnyApp((_, app) => {
  let client: Client;
  let scene: Staffing;

  beforeEach(async () => {
    client = await app.newClient();
    scene = new Staffing(client);
  });

  const look = (now: Date) => scanTenant(client.database.forTenant(client.tenant), now);
  const subjects = async (automation: number, name = 'event_id') =>
    (await deliveriesOf(client, automation)).map(({ data }) => data[name]);

  describe('event.starts_in', () => {
    it('is due the configured minutes before the start, once', async () => {
      const automation = await automate(client, ['event.starts_in', { minutes: 60 }]);
      const event = await scene.event(start, end);
      assert.equal(await look(ahead(61)), 0);
      assert.equal(await look(ahead(60)), 1);
      assert.equal(await look(ahead(59)), 0);
      assert.equal(await look(ahead(-1)), 0);
      const [told] = await deliveriesOf(client, automation);
      assert.deepEqual(told?.data, { event_id: event, name: 'Event', start });
      assert.equal(told?.event_type, 'event.starts_in');
    });

    it('is caught up on while the event has not started', async () => {
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      await scene.event(start, end);
      assert.equal(await look(ahead(1)), 1);
    });

    it('without minutes is due at the start itself, and caught up on for an hour', async () => {
      const automation = await automate(client, ['event.starts_in', {}]);
      const [first, second] = [await scene.event(start, end), await scene.event(start, end)];
      assert.equal(await look(ahead(1)), 0);
      assert.equal(await look(ahead(0)), 2);
      assert.deepEqual(await subjects(automation), [first, second]);
      await scene.event('2031-06-01T09:01:00Z', end);
      await scene.event('2031-06-01T08:59:00Z', end);
      assert.equal(await look(ahead(0)), 1);
    });

    it('is not due for events that had started before the automation was created', async () => {
      const past = new Date(Date.now() - 5 * minute).toISOString();
      await scene.event(past, end);
      await automate(client, ['event.starts_in', {}]);
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      assert.equal(await look(new Date()), 0);
    });

    it('is due again for an event that is moved, and not for one that is archived or aborted', async () => {
      const automation = await automate(client, ['event.starts_in', { minutes: 60 }]);
      const event = await scene.event(start, end);
      for (const status of [3, 5]) await scene.event(start, end, { status });
      assert.equal(await look(ahead(30)), 1);
      const later = '2031-06-01T12:00:00Z';
      assert.equal((await client.call('PUT', `/events/${event}`, { body: { start: later } })).status, 200);
      assert.equal(await look(ahead(29)), 0);
      assert.equal(await look(new Date(Date.parse(later) - 60 * minute)), 1);
      assert.deepEqual(await subjects(automation, 'start'), [start, later]);
    });

    it('locks all functions of the event, or sends a webhook', async () => {
      await automate(client, ['event.starts_in', { minutes: 60 }], ['function.lock', {}]);
      await automate(client, ['event.starts_in', { minutes: 60 }]);
      const event = await scene.event(start, end);
      const places = [await scene.place(event), await scene.place(event)];
      const other = await scene.shift('2031-06-02T10:00:00Z', '2031-06-02T18:00:00Z');
      await look(ahead(60));
      const workshop = new Workshop(client.database, client.tenant);
      assert.equal(await workshop.run(), 2);
      const locked = async (id: number) => (await client.call('GET', `/event-functions/${id}`)).body.is_locked;
      assert.deepEqual(await Promise.all([...places, other].map(locked)), [1, 1, 0]);
      assert.equal(workshop.sent.length, 1);
    });

    it('fires once, however many instances scan at the same time', async () => {
      const automation = await automate(client, ['event.starts_in', { minutes: 60 }]);
      for (let count = 0; count < 5; count++) await scene.event(start, end);
      const added = await Promise.all(Array.from({ length: 6 }, () => look(ahead(10))));
      assert.equal(
        added.reduce((a, b) => a + b),
        5,
      );
      assert.equal(new Set(await subjects(automation)).size, 5);
      assert.equal((await deliveriesOf(client, automation)).length, 5);
    });
  });

  describe('function.understaffed', () => {
    const fill = async (place: number) => {
      const id = await scene.assignment(await scene.employee(), place);
      assert.equal((await scene.setStatus(id, 6)).status, 200);
      return id;
    };

    it('is due while places are open, the configured minutes before the start', async () => {
      const automation = await automate(client, ['function.understaffed', { minutes: 1440 }]);
      const place = await scene.shift(start, end, { quantity: 2 });
      const full = await scene.shift(start, end, { quantity: 1 });
      await fill(full);
      await fill(place);
      assert.equal(await look(ahead(1441)), 0);
      assert.equal(await look(ahead(1440)), 1);
      assert.equal(await look(ahead(1000)), 0);
      const { event_id } = (await client.call('GET', `/event-functions/${place}`)).body;
      const [told] = await deliveriesOf(client, automation);
      assert.deepEqual(told?.data, { event_function_id: place, event_id, start, quantity: 2, holding: 1, open: 1 });
    });

    it('is due at any time before the start without minutes, and never after it', async () => {
      await automate(client, ['function.understaffed', {}]);
      await scene.shift(start, end, { quantity: 2 });
      assert.equal(await look(ahead(0)), 0);
      assert.equal(await look(ahead(500_000)), 1);
    });

    it('with 0 minutes is due at the start itself, and caught up on for an hour', async () => {
      const automation = await automate(client, ['function.understaffed', { minutes: 0 }]);
      const [open, full] = [
        await scene.shift(start, end, { quantity: 2 }),
        await scene.shift(start, end, { quantity: 1 }),
      ];
      await fill(full);
      await scene.shift('2031-06-01T08:59:00Z', end);
      assert.equal(await look(ahead(1)), 0);
      assert.equal(await look(ahead(0)), 1);
      const later = await scene.shift('2031-06-01T09:01:00Z', end);
      assert.equal(await look(ahead(0)), 1);
      assert.deepEqual(await subjects(automation, 'event_function_id'), [open, later]);
    });

    it('with 0 minutes is not due for functions that had started before the automation was created', async () => {
      await scene.shift(new Date(Date.now() - 5 * minute).toISOString(), end);
      await automate(client, ['function.understaffed', { minutes: 0 }]);
      assert.equal(await look(new Date()), 0);
    });

    it('is due again once the function has been full', async () => {
      const automation = await automate(client, ['function.understaffed', { minutes: 1440 }]);
      const place = await scene.shift(start, end, { quantity: 1 });
      assert.equal(await look(ahead(1400)), 1);
      const id = await fill(place);
      assert.equal(await look(ahead(1300)), 0);
      await scene.setStatus(id, 8);
      assert.equal(await look(ahead(1200)), 1);
      assert.equal(await look(ahead(1100)), 0);
      assert.deepEqual(await subjects(automation, 'event_function_id'), [place, place]);
    });

    it('uses the function’s own start, and locks the function', async () => {
      const own = '2031-06-01T14:00:00Z';
      await automate(client, ['function.understaffed', { minutes: 60 }], ['function.lock', {}]);
      const place = await scene.shift(start, end, { start: own });
      assert.equal(await look(ahead(60)), 0);
      assert.equal(await look(new Date(Date.parse(own) - 60 * minute)), 1);
      assert.equal(await look(new Date(Date.parse(own) - 59 * minute)), 0);
      await new Workshop(client.database, client.tenant).run();
      assert.equal((await client.call('GET', `/event-functions/${place}`)).body.is_locked, 1);
    });
  });

  describe('a scan', () => {
    it('covers every active tenant with the module, also after one has failed', async () => {
      const now = ahead(10);
      const other = await app.newClient();
      const without = await app.newClient();
      const automations = new Map<Client, number>();
      for (const each of [client, other, without]) {
        automations.set(each, await automate(each, ['event.starts_in', { minutes: 60 }]));
        await new Staffing(each).event(start, end);
      }
      await client.database.system
        .updateTable('tenants')
        .set({ modules: '[]' })
        .where('id', '=', without.tenant.id)
        .execute();
      const database = client.database;
      const failing = {
        ...database,
        forTenant: (tenant: Client['tenant']) => {
          if (tenant.id === client.tenant.id) throw new Error('broken');
          return database.forTenant(tenant);
        },
      };
      const logs: string[] = [];
      await scan(failing, now, pino({ level: 'warn' }, { write: line => void logs.push(line) }));
      assert.equal((await deliveriesOf(client, automations.get(client) ?? 0)).length, 0);
      assert.equal((await deliveriesOf(other, automations.get(other) ?? 0)).length, 1);
      const rows = await database
        .forTenant(without.tenant)
        .snapshot(({ kysely }) => kysely.selectFrom('automation_deliveries').select('id').execute());
      assert.deepEqual(rows, []);
      assert.equal(logs.filter(line => line.includes(client.tenant.slug)).length, 1);
    });

    it('requeues deliveries that have lost their jobs, some minutes later, and those that have one are left alone', async () => {
      const automation = await automate(client, ['function.understaffed', {}]);
      await scene.shift(start, end);
      await look(new Date());
      const remove = `delete from jobs.job where name = 'deliveries' and group_id = '${client.tenant.id}'`;
      await client.database.queue.executeSql(remove);
      const workshop = new Workshop(client.database, client.tenant);
      const statuses = async () => (await deliveriesOf(client, automation)).map(({ status }) => status);
      for (const [looks, jobs] of [
        [[1, 1], 0],
        [[3, 6], 1],
      ] as const) {
        assert.deepEqual(await statuses(), [1]);
        for (const minutes of looks) await look(new Date(Date.now() + minutes * minute));
        assert.equal(await workshop.run({ early: true }), jobs);
      }
      assert.deepEqual(await statuses(), [2]);
    });

    it('triggers automations, and requeues ten thousand deliveries at once, however many have lost their jobs', async () => {
      const lost = await automate(client, ['event.starts_in', { minutes: 60 }]);
      await client.database.asOwner(client.tenant.id, ({ send }) =>
        send({
          name: null,
          text: `insert into automation_deliveries (tenant_id, id, automation_id, event_type, data, next_attempt_at)
            select $1, 1000000 + n, $2, 'event.starts_in', '{}', '2031-05-31' from generate_series(1, 66000) n`,
          values: [String(client.tenant.id), String(lost)],
        }),
      );
      await scene.event(start, end);
      assert.equal(await look(ahead(60)), 1);
      const jobs = `select from jobs.job where name = 'deliveries' and group_id = '${client.tenant.id}'`;
      assert.equal((await client.database.queue.executeSql(jobs)).rows.length, 10_001);
    });
  });
});
