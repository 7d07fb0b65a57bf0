import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { claimJobs } from '../../src/automations/claim.ts';
import { followJournal } from '../../src/automations/follow.ts';
import { startAutomations } from '../../src/automations/runner.ts';
import type { Database } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { forAnyDatabase, ownDatabase } from '../support/database.ts';
import { Receiver } from '../support/receiver.ts';
import { automate } from './scene.ts';

const options = {
  attempts: 3,
  webhooks: { timeout: 60_000, networks: ['127.0.0.1', '127.0.0.2'], http: true },
  concurrency: { process: 8, tenant: 5, target: 6 },
};

forAnyDatabase(name => {
  describe('deliveries of several tenants', {
    timeout: 120_000,
  }, () => {
    let database: Database;
    let app: App;
    let stops: (() => Promise<void>)[] = [];
    let receivers: Receiver[] = [];
    const log = pino({ level: 'silent' });

    before(async () => {
      database = await ownDatabase(name);
      app = await startApp(database);
    });
    afterEach(async () => {
      const stopped = stops.map(stop => stop());
      for (const receiver of receivers) receiver.close();
      await Promise.all(stopped);
      [stops, receivers] = [[], []];
      await database.queue.executeSql('delete from jobs.job');
    });
    after(async () => {
      await app.close();
      await database.close();
    });

    /** A receiver that keeps its requests open. */
    const listen = async (host = '127.0.0.1') => {
      const receiver = new Receiver();
      receiver.respond = () => {};
      receivers.push(receiver);
      return { receiver, url: await receiver.listen(host) };
    };

    /** A new tenant with that many due deliveries to a URL. */
    const tenantWith = async (count: number, url: string): Promise<Client> => {
      const client = await app.newClient();
      await automate(client, ['record.changed', { resource: ['clients'] }], ['webhook.post', { url }]);
      for (let index = 0; index < count; index++)
        await client.call('POST', '/clients', { body: { company: `Company ${index}` } });
      await followJournal(database.forTenant(client.tenant), createTenantFields(resources));
      return client;
    };
    const start = async () => void stops.push(await startAutomations(options, database, log));

    it('go out while another tenant’s receiver keeps all of its requests open, whose number is limited', async () => {
      const [slow, quick] = [await listen(), await listen('127.0.0.2')];
      await tenantWith(100, slow.url);
      await start();
      await slow.receiver.arrival(options.concurrency.tenant);
      await tenantWith(1, quick.url);
      await quick.receiver.arrival(1);
      assert.equal(slow.receiver.received.length, options.concurrency.tenant);
    });

    it('go to one host in a limited number, however many tenants send to it', async () => {
      const [slow, quick] = [await listen(), await listen('127.0.0.2')];
      for (let count = 0; count < 3; count++) await tenantWith(4, slow.url);
      await start();
      await slow.receiver.arrival(options.concurrency.target);
      await tenantWith(1, quick.url);
      await quick.receiver.arrival(1);
      assert.equal(slow.receiver.received.length, options.concurrency.target);
    });

    it('are claimed in turn: every tenant has its first before any has its second', async () => {
      const tenants = [await tenantWith(9, 'http://127.0.0.1:1/'), await tenantWith(2, 'http://127.0.0.2:1/')];
      const [many, few] = tenants.map(({ tenant }) => tenant.id);
      const claim = async (count: number, limits = { tenant: 5, target: 20 }) =>
        (await claimJobs(count, limits, database.queue)).map(({ data }) => data.tenant_id).sort((a, b) => a - b);
      assert.deepEqual(await claim(2), [many, few]);
      assert.deepEqual(await claim(3), [many, many, few]);
      assert.deepEqual(await claim(8), [many, many]);
      assert.deepEqual(await claim(8), []);
      assert.deepEqual(await claim(8, { tenant: 20, target: 7 }), [many, many]);
    });

    it('are claimed once by processes that claim at the same time', async () => {
      await tenantWith(9, 'http://127.0.0.1:1/');
      const claims = Array.from({ length: 4 }, () => claimJobs(3, { tenant: 20, target: 20 }, database.queue));
      const claimed = (await Promise.all(claims)).flat().map(({ data }) => data.delivery_id);
      assert.equal(new Set(claimed).size, claimed.length);
      assert.ok(claimed.length >= 3);
    });
  });
});
