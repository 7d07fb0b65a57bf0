import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { openQueue } from '../../src/automations/runner.ts';
import { scanTenant } from '../../src/automations/scan.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { queues } from '../../src/db/queue.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { forEachDatabase, migratedUrl } from '../support/database.ts';
import { Receiver } from '../support/receiver.ts';
import { makeMigrated } from '../support/template.ts';
import { automate, deliveriesOf } from './scene.ts';
import { Workshop } from './work.ts';

const script = new URL('dying-server.ts', import.meta.url).pathname;
const timeout = 120_000;

/** The configuration of a trigger by a status, and the routine unless it is a webhook. */
type Wanted = readonly [trigger: object, routine?: readonly [type: string, configuration: object]];

interface CrashScene {
  readonly client: Client;
  readonly assignments: readonly number[];
  readonly automation: number;
}

const prepare = async (client: Client, [trigger, routine]: Wanted): Promise<CrashScene> => {
  const scene = new Staffing(client);
  const shift = await scene.shift('2031-05-02T10:00:00Z', '2031-05-02T18:00:00Z', { quantity: 50 });
  const assignments: number[] = [];
  for (let count = 0; count < 12; count++) assignments.push(await scene.assignment(await scene.employee(), shift));
  const automation = await automate(client, ['assignment.status_changed', trigger], routine);
  return { client, assignments, automation };
};

forEachDatabase(name => {
  describe('automations and a server that is killed', () => {
    const keys = generateKeySet('HS256');
    let place: { url: string | null; dataDir: string };
    /** What each test begins with; made together, since opening the embedded database takes longest. */
    const scenes: CrashScene[] = [];
    const wanted: Wanted[] = [];
    let { client, assignments, automation } = {} as CrashScene;
    let started: ChildProcess | undefined;

    /** Opens the database again after the kill, since the embedded one allows a single process. */
    const open = async <T>(act: (app: App, database: Database) => Promise<T>): Promise<T> => {
      const database = openDatabase({ ...place, poolSize: 5 });
      const app = await startApp(database, { keys: parseKeySet(keys, 'HS256') });
      try {
        return await act(app, database);
      } finally {
        await app.close();
        await database.close();
      }
    };
    const alive = <T>(act: (own: Client, database: Database) => Promise<T>): Promise<T> =>
      open((app, database) => act({ ...client, database, call: (...asked) => app.callAs(client, ...asked) }, database));

    /** Declares a test that begins with an automation and twelve assignments, in a tenant of its own. */
    const survives = (title: string, scene: Wanted, test: () => Promise<void>): void => {
      const index = wanted.push(scene) - 1;
      it(title, { timeout }, () => {
        ({ client, assignments, automation } = scenes[index] as CrashScene);
        return test();
      });
    };

    const spawnServer = (environment: Record<string, string>): ChildProcess => {
      const child = spawn(process.execPath, [script], {
        env: {
          ...childEnvironment,
          KEYS: keys,
          DATA_DIR: place.dataDir,
          ...(place.url && { DATABASE_URL: place.url }),
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started = child;
      return child;
    };

    /** Requests a change from the other process; returns the status, or null if it died before it responded. */
    const change = (port: number, id: number, status: number): Promise<number | null> => {
      const headers = {
        Host: `${client.tenant.slug}.test`,
        Authorization: `Bearer ${client.token}`,
        'Content-Type': 'application/json',
        'X-Forwarded-Proto': 'https',
      };
      return new Promise(resolve => {
        request({ host: '127.0.0.1', port, path: `/api/v1/assignments/${id}/status`, method: 'PUT', headers })
          .on('response', response => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
            response.on('error', () => resolve(null));
          })
          .on('error', () => resolve(null))
          .end(JSON.stringify({ status }));
      });
    };

    /** Expires the jobs of the dead process at once, instead of after their timeout. */
    const reclaim = async (database: Database): Promise<void> => {
      await database.queue.executeSql(
        `update jobs.job set heartbeat_on = now() - interval '1 hour' where state = 'active'`,
      );
      await database.queue.executeSql('update jobs.queue set monitor_on = null, monitor_claim_on = null');
      const queue = openQueue(database, { supervise: false, schedule: false });
      await queue.start();
      await queue.supervise(queues.deliveries);
      await queue.stop({ graceful: false, close: false });
    };

    /** Looks for deliveries without a job, when these have been due for long enough. */
    const scanLater = (own: Client, database: Database): Promise<number> =>
      scanTenant(database.forTenant(own.tenant), new Date(Date.now() + 180_000));

    const first = (): number => assignments[0] ?? 0;

    before(async () => {
      place =
        name === 'embedded'
          ? { url: null, dataDir: mkdtempSync(join(tmpdir(), 'crash-')) }
          : { url: await migratedUrl(), dataDir: 'memory://' };
      if (name === 'embedded') await makeMigrated(place.dataDir);
      await open(async app => {
        for (const scene of wanted) scenes.push(await prepare(await app.newClient(), scene));
      });
    });
    // One that did not die holds the database, and this process.
    afterEach(() => started?.kill('SIGKILL'));
    after(() => {
      if (name === 'embedded') rmSync(place.dataDir, { recursive: true, force: true });
    });

    const killed = async (child: ChildProcess): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      assert.equal(child.signalCode, 'SIGKILL');
    };

    for (const [die, there] of [
      ['before commit', false],
      ['after commit', true],
    ] as const)
      survives(
        `have ${there ? 'the change and its delivery, once,' : 'neither the change nor its delivery'} after a kill ${die}`,
        [{ to: [6] }],
        async () => {
          const child = spawnServer({ DIE: die });
          const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data');
          assert.equal(await change(Number(port), first(), 6), null);
          await killed(child);
          await alive(async (own, database) => {
            const { status } = (await own.call('GET', `/assignments/${first()}`)).body;
            assert.equal(status, there ? 6 : 1);
            assert.equal((await deliveriesOf(own, automation)).length, there ? 1 : 0);
            const workshop = new Workshop(database, own.tenant);
            assert.equal(await workshop.run({ early: true }), there ? 1 : 0);
            assert.equal(workshop.sent.length, there ? 1 : 0);
          });
        },
      );

    survives(
      'have the change and its delivery, which a scan finds, after a kill before the job is added',
      [{ to: [6] }],
      async () => {
        const child = spawnServer({ DIE: 'between commits' });
        const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data');
        assert.equal(await change(Number(port), first(), 6), null);
        await killed(child);
        await alive(async (own, database) => {
          assert.equal((await own.call('GET', `/assignments/${first()}`)).body.status, 6);
          const workshop = new Workshop(database, own.tenant);
          assert.equal(await workshop.run({ early: true }), 0);
          await scanLater(own, database);
          assert.equal(await workshop.run({ early: true }), 1);
          assert.equal(workshop.sent.length, 1);
          assert.deepEqual(
            (await deliveriesOf(own, automation)).map(({ status }) => status),
            [2],
          );
        });
      },
    );

    survives(
      'have a delivery for each change and none without, wherever the kill meets them',
      [{ to: [6] }],
      async () => {
        const child = spawnServer({});
        const [port] = await once(child.stdout as NodeJS.ReadableStream, 'data');
        let successful = 0;
        const responses = await Promise.all(
          assignments.map(async id => {
            const status = await change(Number(port), id, 6);
            if (status === 200 && ++successful === 2) child.kill('SIGKILL');
            return status;
          }),
        );
        // In case the process has confirmed fewer than two changes.
        child.kill('SIGKILL');
        await killed(child);
        await alive(async (own, database) => {
          const changed = (await own.call('GET', '/assignments?status=6&fields=id')).body.map(
            ({ id }: { id: number }) => id,
          );
          const told = (await deliveriesOf(own, automation)).map(({ data }) => data.assignment_id);
          assert.deepEqual([...told].sort(), [...changed].sort());
          const acknowledged = assignments.filter((_, index) => responses[index] === 200);
          assert.ok(acknowledged.every(id => changed.includes(id)));
          await scanLater(own, database);
          const workshop = new Workshop(database, own.tenant);
          assert.equal(await workshop.run({ early: true }), changed.length);
        });
      },
    );

    survives(
      'send a webhook again, with the same id, after a kill between the response and the storing of the outcome',
      [{ to: [6] }],
      async () => {
        const receiver = new Receiver();
        const url = await receiver.listen();
        await alive(own => own.call('PUT', `/assignments/${first()}/status`, { body: { status: 6 } }));
        await killed(spawnServer({ WORK: 'true', RECEIVER: url }));
        receiver.close();
        const received = receiver.received.map(({ headers }) => headers['webhook-id']);
        await alive(async (own, database) => {
          const [before] = await deliveriesOf(own, automation);
          assert.deepEqual([before?.status, before?.attempt, received], [1, 0, [before?.event_id]]);
          const workshop = new Workshop(database, own.tenant);
          assert.equal(await workshop.run({ early: true }), 0, 'the dead process still has it');
          await reclaim(database);
          assert.equal(await workshop.run({ early: true }), 1);
          assert.deepEqual(
            workshop.sent.map(({ id }) => id),
            received,
          );
          assert.equal((await deliveriesOf(own, automation))[0]?.status, 2);
        });
      },
    );

    for (const die of ['before commit', 'after commit'])
      survives(
        `change a record once after a kill of the worker ${die}`,
        [{ to: [3] }, ['assignment.set_status', { status: 5 }]],
        async () => {
          await alive(own => own.call('PUT', `/assignments/${first()}/status`, { body: { status: 3 } }));
          await killed(spawnServer({ WORK: 'true', DIE: die }));
          await alive(async (own, database) => {
            const before = (await own.call('GET', `/assignments/${first()}`)).body.status;
            assert.equal(before, die === 'before commit' ? 3 : 5);
            await reclaim(database);
            assert.equal(await new Workshop(database, own.tenant).run({ early: true }), 1);
            const history = (await own.call('GET', `/assignments/${first()}/history`)).body;
            assert.deepEqual(
              history.map(({ to_status }: { to_status: number }) => to_status),
              [1, 3, 5],
            );
            const [{ status, attempt } = assert.fail()] = await deliveriesOf(own, automation);
            assert.deepEqual([status, attempt], [2, 1]);
          });
        },
      );
  });
});
