import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { startAutomations } from '../../src/automations/runner.ts';
import type { Database } from '../../src/db/open.ts';
import { queues } from '../../src/db/queue.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { forEachDatabase, ownDatabase } from '../support/database.ts';
import { Receiver } from '../support/receiver.ts';
import { automate, deliveriesOf } from './scene.ts';

const options = {
  run: true,
  attempts: 3,
  webhooks: { timeout: 10_000, networks: ['127.0.0.1'], http: true },
  concurrency: { process: 50, tenant: 5, target: 10 },
};

forEachDatabase(name => {
  describe('the work of automations', {
    timeout: 120_000,
  }, () => {
    let database: Database;
    let app: App;
    let client: Client;
    let scene: Staffing;
    let ids: readonly number[];
    let url: string;
    let arrived: (id: string, response: ServerResponse) => void = () => {};
    const receiver = new Receiver();
    receiver.respond = ({ headers, response }) => arrived(String(headers['webhook-id']), response);
    const log = pino({ level: 'silent' });

    before(async () => {
      // A separate database, so that jobs of other tests are not run here.
      database = await ownDatabase(name);
      app = await startApp(database);
      client = await app.newClient();
      scene = new Staffing(client);
      const place = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z', { quantity: 20 });
      const made = [];
      for (let count = 0; count < 20; count++) made.push(await scene.assignment(await scene.employee(), place));
      ids = made;
      url = await receiver.listen();
    });
    after(async () => {
      receiver.close();
      await app.close();
      await database.close();
    });

    it('is shared by instances: each delivery is sent once, soon after the change', async () => {
      const automation = await automate(client, ['assignment.status_changed', { to: [6] }], ['webhook.post', { url }]);
      const received: string[] = [];
      const all = new Promise<void>(resolve => {
        arrived = (id, response) => {
          received.push(id);
          response.writeHead(204).end();
          if (received.length === ids.length) resolve();
        };
      });
      const stops = [await startAutomations(options, database, log), await startAutomations(options, database, log)];
      await client.call('PUT', '/assignments/status', { body: { assignment_ids: ids, status: 6 } });
      await all;
      await Promise.all(stops.map(stop => stop()));
      assert.equal(new Set(received).size, ids.length);
      const shown = await deliveriesOf(client, automation);
      assert.ok(shown.every(({ status, attempt }) => status === 2 && attempt === 1));
    });

    it('follows the journal: instances send each change of a record once, in its order, what happened without them too', async () => {
      const automation = await automate(
        client,
        ['record.changed', { resource: ['projects'] }],
        ['webhook.post', { url }],
      );
      const { id: client_id } = (await client.call('POST', '/clients', { body: { company: 'Alba' } })).body;
      const { id } = (await client.call('POST', '/projects', { body: { name: 'Gala', client_id } })).body;
      const rename = (name: string) => client.call('PUT', `/projects/${id}`, { body: { name } });
      await rename('Ball');
      const received: string[] = [];
      const all = new Promise<void>(resolve => {
        arrived = (event, response) => {
          received.push(event);
          response.writeHead(204).end();
          if (received.length === 4) resolve();
        };
      });
      const stops = [await startAutomations(options, database, log), await startAutomations(options, database, log)];
      for (const name of ['Cup', 'Derby']) await rename(name);
      await all;
      await Promise.all(stops.map(stop => stop()));
      const shown = await deliveriesOf(client, automation);
      const inOrder = shown.toSorted((a, b) => Number(a.data.position) - Number(b.data.position));
      assert.deepEqual(
        received,
        inOrder.map(({ event_id }) => event_id),
      );
      assert.ok(shown.every(({ status, attempt }) => status === 2 && attempt === 1));
      await client.call('DELETE', `/automations/${automation}`);
    });

    it('stops after in-flight jobs are done and their outcomes stored', async () => {
      const automation = await automate(client, ['assignment.status_changed', { to: [7] }], ['webhook.post', { url }]);
      const first = new Promise<ServerResponse>(resolve => {
        arrived = (_, response) => resolve(response);
      });
      const stop = await startAutomations(options, database, log);
      await scene.setStatus(ids[0] ?? 0, 7);
      const response = await first;
      const stopped = stop();
      assert.equal((await deliveriesOf(client, automation))[0]?.status, 1);
      response.writeHead(204).end();
      await stopped;
      assert.equal((await deliveriesOf(client, automation))[0]?.status, 2);
    });

    it('does nothing once it is stopped, and loses nothing', async () => {
      const automation = await automate(client, ['assignment.status_changed', { to: [8] }], ['webhook.post', { url }]);
      const received: string[] = [];
      let next = (): void => {};
      arrived = (id, response) => {
        received.push(id);
        response.writeHead(204).end();
        next();
      };
      await scene.setStatus(ids[1] ?? 0, 8);
      assert.deepEqual(received, []);
      const done = new Promise<void>(resolve => {
        next = resolve;
      });
      const stop = await startAutomations(options, database, log);
      await done;
      await stop();
      assert.deepEqual(
        received,
        (await deliveriesOf(client, automation)).map(({ event_id }) => event_id),
      );
    });

    it('scans for time-based triggers every minute, in one instance for all', async () => {
      const stop = await startAutomations(options, database, log);
      await stop();
      const { rows } = await database.queue.executeSql('select name, cron, timezone from jobs.schedule');
      assert.deepEqual(rows, [{ name: queues.scan, cron: '* * * * *', timezone: 'UTC' }]);
    });
  });
});
