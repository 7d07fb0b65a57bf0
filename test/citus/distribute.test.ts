import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Tenant } from '../../src/core/principal.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { type App, startApp } from '../support/app.ts';
import { citusPrograms } from '../support/citus.ts';
import { inMemory, onServer, scratchUrl, unboundUrl } from '../support/database.ts';
import { operations } from '../support/operations.ts';

const skip = !citusPrograms && 'TEST_CITUS_BIN names no programs of Postgres with Citus';

/** What a tenant reads without parameters, apart from its own requests. */
const listings = operations.filter(
  ({ verb, path, sandbox }) => verb === 'list' && !path.includes('{') && !sandbox && path !== '/me/requests',
);

describe('a database with data that is distributed', { skip }, () => {
  let url: string;
  let demo: { readonly tenant: Tenant; readonly apiUserId: number };
  let other: number;
  let shown: ReadonlyMap<string, string>;
  let rows: readonly string[];
  const steps: string[] = [];

  const select = async (text: string) => (await onServer(text, await unboundUrl(url))).rows;

  /** Number and digest of the rows of each table of tenants. */
  const readRows = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const { name } of await select(`select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`)) {
      const [row] = await select(`select count(*), sum(hashtextextended(t::text, 0)::numeric) from "${name}" t`);
      found.push(`${name} ${row.count} ${row.sum}`);
    }
    return found;
  };

  const use = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    const database = openDatabase({ ...inMemory, url });
    return work(database).finally(() => database.close());
  };
  const useApp = <Result>(work: (app: App) => Promise<Result>): Promise<Result> =>
    use(async database => {
      const app = await startApp(database);
      return work(app).finally(() => app.close());
    });

  const readShown = async (app: App): Promise<ReadonlyMap<string, string>> => {
    const token = await app.tokenOf(demo.tenant, demo.apiUserId);
    const found = new Map<string, string>();
    for (const { path } of listings) found.set(path, (await app.callAs({ ...demo, token }, 'GET', path)).text);
    return found;
  };

  /** Distributes the database up to a step; without one, to the end. */
  const distribute = (last?: string): Promise<number> =>
    use(database =>
      database.distribute({
        dryRun: false,
        onStep: what => {
          if (what === last) throw new Error('interrupted');
          steps.push(what);
        },
      }),
    );

  before(async () => {
    url = await scratchUrl();
    await use(database => database.migrate());
    shown = await useApp(async app => {
      const { tenant, apiUser } = await fillDemo(app.database, { size: 'small', baseDomain: 'test' });
      demo = { tenant, apiUserId: apiUser.id };
      other = (await app.newClient()).tenant.id;
      return readShown(app);
    });
    rows = await readRows();
  });

  it('goes on where it was interrupted, and has each row once', async () => {
    await assert.rejects(distribute('Distribute table files'), /interrupted/);
    const taken = steps.length;
    assert.equal(await distribute(), steps.length - taken);
    assert.equal(new Set(steps).size, steps.length, 'a step was taken twice');
    assert.equal(await distribute(), 0);
    assert.deepEqual(await readRows(), rows);
  });

  it('keeps no row of a tenant on the coordinator', async () => {
    const kept = await select(`select relname from pg_class join pg_dist_partition on logicalrelid = oid
      where partmethod = 'h' and pg_relation_size(oid) > 0`);
    assert.deepEqual(kept, []);
  });

  it('shows its tenant what it showed before, and nothing to another one', async () => {
    assert.ok(listings.length > 20);
    await useApp(async app => {
      assert.deepEqual(await readShown(app), shown);
      const [hidden] = await app.database
        .forTenant({ ...demo.tenant, id: other })
        .read({ name: null, text: 'select count(*) from assignments', values: [] });
      assert.deepEqual(hidden?.rows, [['0']]);
    });
  });

  it('takes writes, with ids and changes after those that it had', async () => {
    await useApp(async app => {
      const token = await app.tokenOf(demo.tenant, demo.apiUserId);
      const call = (method: string, path: string, body?: object) =>
        app.callAs({ ...demo, token }, method, path, body && { body });
      const { body: now } = await call('GET', '/changes?after=now');
      const { body: made, status } = await call('POST', '/clients', { company: 'Later' });
      assert.equal(status, 201);
      assert.ok(JSON.parse(shown.get('/clients') ?? '').every(({ id }: { id: number }) => id < made.id));
      const { body } = await call('GET', `/changes?after=${now.next}`);
      assert.deepEqual(
        body.changes.map(({ id, change }: Record<string, unknown>) => ({ id, change })),
        [{ id: made.id, change: 'created' }],
      );
    });
  });
});
