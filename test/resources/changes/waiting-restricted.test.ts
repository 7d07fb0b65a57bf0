import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TenantDb } from '../../../src/db/database.ts';
import type { Wakeups } from '../../../src/db/journal/wakeups.ts';
import { type ApiResponse, type App, startApp } from '../../support/app.ts';
import { forAnyDatabase } from '../../support/database.ts';
import { replaceForTenants } from '../../support/replace.ts';
import { newRestricted, type Restricted, restrictions } from '../../support/restrictions.ts';
import { until } from '../../support/until.ts';

forAnyDatabase((_, getDatabase) => {
  describe('a request that waits for changes while its caller is restricted', () => {
    const clock = { now: Date.now() };
    let app: App;
    /** Requests that wait until the test ends their waiting; once it has, none waits any more. */
    const waiting: ((woken: boolean) => void)[] = [];
    let over = false;
    /** Set: reads for tenants wait for it. */
    let gate: Promise<void> | null = null;
    let reading = 0;
    before(async () => {
      const database = getDatabase();
      const wakeups = {
        wait: async () => !over && new Promise<boolean>(resolve => waiting.push(resolve)),
        share: database.wakeups.share.bind(database.wakeups),
      } as Partial<Wakeups> as Wakeups;
      const held = replaceForTenants({ ...database, wakeups }, (db: TenantDb) => ({
        async read(...statements) {
          reading++;
          await gate;
          return db.read(...statements);
        },
      }));
      app = await startApp(held, { clock: () => clock.now });
    });
    after(() => app.close());

    const wake = (woken: boolean) => {
      over = true;
      for (const end of waiting.splice(0)) end(woken);
    };
    const get = (user: Restricted, path: string) => app.callAs(user, 'GET', path);
    const cursorOf = async (user: Restricted) => (await get(user, '/changes?after=now')).body.next;
    /** Begins requests one after the other, each of which waits. */
    const startWaiting = async (user: Restricted, path: string, count = 1) => {
      const responses: Promise<ApiResponse>[] = [];
      over = false;
      for (let started = 1; started <= count; started++) {
        const before = waiting.length;
        responses.push(get(user, path));
        await until('it comes', () => waiting.length > before);
      }
      return responses;
    };
    /** Creates an employee past the API, which may reject it by then. */
    const write = ({ database, tenant }: Restricted) =>
      database.forTenant(tenant).transaction(async transaction => {
        const [id] = await transaction.newIds('employees', 1);
        const values = { id, firstname: 'Ada', lastname: 'Berg', email: 'ada@berg.example' } as never;
        await transaction.kysely.insertInto('employees').values(values).execute();
      });
    const shown = ({ status, text }: ApiResponse) => [status, text.replace(/"request_id": [^,\n]*/, '')];

    for (const { name, set } of restrictions) {
      it(`gets what a new request gets, after ${name}`, async () => {
        const user = await newRestricted(app, clock);
        const path = `/changes?after=${await cursorOf(user)}&include=record`;
        const [response] = await startWaiting(user, `${path}&wait=30`);
        await set(user);
        await write(user);
        wake(true);
        assert.deepEqual(shown((await response) as ApiResponse), shown(await get(user, path)));
      });

      it(`gets what a new request gets if nothing has changed, after ${name}`, async () => {
        const user = await newRestricted(app, clock);
        const path = `/changes?after=${await cursorOf(user)}`;
        const [response] = await startWaiting(user, `${path}&wait=30`);
        await set(user);
        wake(false);
        assert.deepEqual(shown((await response) as ApiResponse), shown(await get(user, path)));
      });
    }

    const hide = restrictions.find(({ name }) => name.includes('hidden')) as (typeof restrictions)[number];

    it('shares no read with one that began before', async () => {
      const user = await newRestricted(app, clock);
      const path = `/changes?after=${await cursorOf(user)}&include=record&wait=30`;
      const responses = await startWaiting(user, path, 2);
      await write(user);
      let open = () => {};
      gate = new Promise(resolve => {
        open = resolve;
      });
      const [early, late] = waiting.splice(0);
      over = true;
      const before = reading;
      early?.(true);
      await until('it comes', () => reading > before);
      // Its read is under way, with the view from before.
      await hide.set(user);
      late?.(true);
      await until('it comes', () => reading > before + 1);
      open();
      gate = null;
      for (const { status, text } of await Promise.all(responses)) {
        assert.equal(status, 200);
        assert.match(text, /Berg/);
        assert.doesNotMatch(text, /"email"/);
      }
    });

    it('shares its reads with requests of the same view', async () => {
      const user = await newRestricted(app, clock);
      const path = `/changes?after=${await cursorOf(user)}&wait=30`;
      const responses = await startWaiting(user, path, 10);
      await hide.set(user);
      await write(user);
      reading = 0;
      wake(true);
      for (const { body } of await Promise.all(responses)) assert.equal(body.changes.length, 1);
      assert.ok(reading <= 3, `${reading} reads`);
    });

    it('that begins with the present misses nothing that is written while it waits', async () => {
      const user = await newRestricted(app, clock);
      const [response] = await startWaiting(user, '/changes?after=now&wait=30');
      await app.callAs(user, 'POST', '/forms/1/attributes', {
        body: { name: 'Nickname', type: 'text' },
      });
      await write(user);
      wake(true);
      const { status, body } = (await response) as ApiResponse;
      assert.equal(status, 200);
      assert.ok(body.changes.some(({ resource }: { resource: string }) => resource === 'employees'));
    });
  });
});
