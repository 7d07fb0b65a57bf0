import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import type { Call } from '../../../src/core/call/call.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { followConflicts } from '../../../src/domain/conflicts/follow.ts';
import { finishConflicts, rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import { conflicts } from '../../../src/resources/conflicts/rules.ts';
import { startConflicts } from '../../../src/server/jobs/conflicts.ts';
import { type App, startApp } from '../../support/app.ts';
import { childEnvironment } from '../../support/child-environment.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { addTired, list, tenantWith } from './scene.ts';

const script = new URL('dying-worker.ts', import.meta.url).pathname;
/** Milliseconds that a test may take: where a guard is broken, one that waits for ever fails before its trial ends. */
const timeout = 120_000;

describe('the worker that finds conflicts', () => {
  let url: string;
  let database: Database;
  let app: App;
  before(async () => {
    url = await migratedUrl();
    database = openDatabase({ ...inMemory, url });
    app = await startApp(database, {});
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  /** Takes steps in a process that dies in the last one. */
  const die = async (slug: string, steps: number): Promise<void> => {
    const env = { ...childEnvironment, DATABASE_URL: url, TENANT: slug, STEPS: String(steps) };
    const child = spawn(process.execPath, [script], { env, stdio: 'inherit' });
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
  };

  /** A tenant with so many people who are too tired, more than one step judges. */
  const crowd = async (people: number) => {
    const { client, staffing } = await tenantWith(app, {});
    const [first, second] = [
      await staffing.shift('2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z', { quantity: people }),
      await staffing.shift('2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z', { quantity: people }),
    ];
    for (let count = 0; count < people; count++) {
      const employee = await staffing.employee();
      for (const place of [first, second]) await staffing.assignment(employee, place, 6);
    }
    return { client, staffing, db: database.forTenant(client.tenant) };
  };

  it('goes on where a killed worker has left off: nothing is lost, and nothing twice', { timeout }, async () => {
    const { client, db } = await crowd(60);
    await die(client.tenant.slug, 1);
    assert.equal((await list(client)).length, 0);
    await die(client.tenant.slug, 2);
    const half = await list(client);
    assert.ok(half.length > 0 && half.length < 60, `${half.length}`);
    assert.equal((await client.call('GET', '/conflicts')).headers['x-position'], '0');
    await finishConflicts(db);
    const all = await list(client);
    assert.equal(all.length, 60);
    assert.deepEqual(all.slice(0, half.length), half);
    assert.equal((await client.call('GET', '/changes?resource=conflicts&limit=1000')).body.changes.length, 60);
    assert.equal(await rebuildConflicts(db), 0);
  });

  it('goes on to the next changes when the last step has judged as many people as one may', { timeout }, async () => {
    const { client, db } = await crowd(50);
    const steps = [];
    do steps.push(await followConflicts(db));
    while (steps.at(-1)?.more && steps.length < 10);
    assert.equal(steps.at(-1)?.more, false);
    assert.equal((await list(client)).length, 50);
  });

  it('judges fewer people in a step that have many conflicts: with rules that all break, and when these are off', {
    timeout,
  }, async () => {
    const people = 12;
    const rules: number[] = [];
    const { client, db, staffing } = await crowd(people);
    for (let count = 1; count < 100; count++)
      rules.push(await staffing.create('work-rules', { name: `${count}`, kind: 'rest', parameters: { minutes: 660 } }));
    /** Takes all steps; returns how many conflicts those have changed that changed some. */
    const changes = async () => {
      const steps = [];
      do steps.push(await followConflicts(db));
      while (steps.at(-1)?.more);
      return steps.flatMap(step => step?.changes || []);
    };
    assert.deepEqual(await changes(), [500, 500, 200]);
    assert.equal((await list(client)).length, 1200);
    for (const id of rules) await client.call('PUT', `/work-rules/${id}`, { body: { mode: 'off' } });
    assert.deepEqual(await changes(), [495, 495, 198]);
    assert.equal(await rebuildConflicts(db), 0);
  });

  it('leaves a tenant to the one who is busy with it, and no writer waits', { timeout }, async () => {
    const { client, staffing } = await tenantWith(app, {});
    const db = database.forTenant(client.tenant);
    await addTired(staffing);
    await db.transaction(async ({ kysely }) => {
      await kysely
        .insertInto('conflict_progress')
        .values({ id: 1, position: 0, target: 0, epoch: '', basis: '', since: '2030-01-01T00:00:00Z' })
        .execute()
        .catch(() => {});
    });
    await db.transaction(async ({ kysely }) => {
      await kysely.selectFrom('conflict_progress').select('id').forUpdate().execute();
      assert.equal(await followConflicts(db), null);
      await addTired(staffing);
    });
    await finishConflicts(db);
    assert.equal((await list(client)).length, 2);
  });

  it('is waited for until what precedes it is committed, for as long as the request says', { timeout }, async () => {
    const { client, staffing } = await tenantWith(app, {});
    const db = database.forTenant(client.tenant);
    await staffing.employee();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const earlier = Promise.withResolvers<void>();
    const begun = db.transaction(async ({ kysely }) => {
      await kysely.updateTable('employees').set({ lastname: 'Earlier' }).execute();
      earlier.resolve();
      await released;
    });
    await earlier.promise;
    let looks = 0;
    const waits: number[] = [];
    const wakeups = {
      ...{ wait: async () => false, share: <T>(_key: string, _signal: AbortSignal, read: () => Promise<T>) => read() },
      get stopped() {
        if (++looks === 3) release();
        return false;
      },
      waitForConflicts: async (_tenant: number, position: number) => {
        waits.push(position);
        return false;
      },
    };
    const call = { parameters: [['wait', '30']], leave: () => new AbortController().signal } as unknown as Call;
    try {
      await addTired(staffing);
      assert.equal(await conflicts.ready?.(call, db, { wakeups }), true);
    } finally {
      release();
      await begun;
    }
    const { changes } = (await client.call('GET', '/changes?resource=assignments')).body;
    assert.equal(changes.length, 2);
    assert.ok(Number(waits[0]) >= changes[1].position, `${waits} ${changes[1].position}`);
  });

  it('finds what happens in any tenant while it runs', { timeout }, async () => {
    const tenants = [await tenantWith(app, {}), await tenantWith(app, {})];
    const stop = startConflicts(database, pino({ level: 'silent' }));
    try {
      for (const { client, staffing } of tenants) {
        await addTired(staffing);
        const response = await client.call('GET', '/conflicts?wait=30');
        assert.equal(response.body.length, 1);
      }
    } finally {
      await stop();
    }
  });
});
