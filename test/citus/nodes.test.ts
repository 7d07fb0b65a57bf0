import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { citusPrograms } from '../support/citus.ts';
import { inMemory, migratedUrl, testCluster } from '../support/database.ts';
import { until } from '../support/until.ts';

const skip = !citusPrograms && 'TEST_CITUS_BIN names no programs of Postgres with Citus';

/** Sends statements to a node, as superuser. */
const onNode = async (node: string, name: string, text: string): Promise<pg.QueryResult> => {
  const url = new URL(node);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client.query(text).finally(() => client.end());
};

describe('on a cluster', { skip }, () => {
  let database: Database;
  let app: App;
  let name: string;

  before(async () => {
    const url = await migratedUrl();
    name = new URL(url).pathname.slice(1);
    database = openDatabase({ ...inMemory, url, poolSize: 20 });
    app = await startApp(database);
  });
  after(async () => {
    await app?.close();
    await database?.close();
  });

  /** Has a node give transaction ids, so that its counter is ahead of the others'. */
  const advance = (node: string): Promise<pg.QueryResult> =>
    onNode(node, name, `do $$ begin for i in 1..3000 loop perform pg_current_xact_id(); commit; end loop; end $$`);

  const nodeNames = ['the coordinator', 'the first worker', 'the second worker'];
  for (const [place, ahead] of nodeNames.entries()) {
    describe(`whose counter of ${ahead} is ahead`, () => {
      let clients: Client[];
      before(async () => {
        await advance((await testCluster()).nodes[place] as string);
        clients = await Promise.all(Array.from({ length: 6 }, () => app.newClient()));
      });

      it('a repeated read shows every write that was acknowledged before', async () => {
        for (const { call } of clients) {
          const { body: made } = await call('POST', '/clients', { body: { company: 'Before' } });
          for (let turn = 0; turn < 20; turn++) {
            const path = `/clients?fields=id,company&id=${made.id}`;
            await call('GET', path);
            await call('GET', path);
            await call('PUT', `/clients/${made.id}`, { body: { company: `Turn ${turn}` } });
            assert.equal((await call('GET', path)).body[0]?.company, `Turn ${turn}`);
          }
        }
      });

      it('a request that waits for changes gets one that is committed meanwhile', async () => {
        for (const { call } of clients) {
          const { body: now } = await call('GET', '/changes?after=now');
          const waiting = call('GET', `/changes?after=${now.next}&wait=20`);
          const { body: made } = await call('POST', '/clients', { body: { company: 'Awaited' } });
          const { body } = await waiting;
          assert.deepEqual(
            body.changes.map(({ resource, id, change }: Record<string, unknown>) => ({ resource, id, change })),
            [{ resource: 'clients', id: made.id, change: 'created' }],
          );
        }
      });
    });
  }

  it('sixteen writers and a follower agree: each change once, without gaps, in the order of each record', async () => {
    const { call } = await app.newClient();
    const { body: start } = await call('GET', '/changes?after=now');
    const written = new Map<number, number>();
    let isDone = false;
    const followed: { position: number; id: number; change: string }[] = [];
    const follow = async () => {
      for (let next = start.next; ; ) {
        const { status, body } = await call('GET', `/changes?after=${next}&wait=1&limit=50`);
        // A busy cluster may say to try again.
        if (status === 503) continue;
        assert.equal(status, 200);
        followed.push(...body.changes);
        next = body.next;
        if (isDone && body.caught_up === 1 && body.changes.length === 0) return;
      }
    };
    const following = follow();
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let turn = 0; turn < 10; turn++) {
          const { body, status } = await call('POST', '/clients', { body: { company: `${writer} ${turn}` } });
          assert.equal(status, 201);
          await call('PUT', `/clients/${body.id}`, { body: { company: `${writer} ${turn} again` } });
          written.set(body.id, 2);
        }
      }),
    );
    isDone = true;
    await following;
    assert.deepEqual(
      followed.map(({ position }) => position),
      followed.map((_, index) => (followed[0]?.position ?? 0) + index),
    );
    for (const id of written.keys())
      assert.deepEqual(
        followed.filter(entry => entry.id === id).map(({ change }) => change),
        ['created', 'updated'],
      );
  });

  it('a worker that is killed during commits loses and doubles nothing, and leaves the other one’s tenants alone', async () => {
    const cluster = await testCluster();
    const clients = await Promise.all(Array.from({ length: 8 }, () => app.newClient()));
    const placeOf = async (id: number): Promise<number> => {
      const { rows } = await onNode(
        cluster.coordinator,
        name,
        `select n.nodeport from pg_dist_placement p join pg_dist_node n using (groupid)
        where p.shardid = get_shard_id_for_distribution_column('clients', ${id}::bigint)`,
      );
      return Number(rows[0]?.nodeport);
    };
    const places = await Promise.all(clients.map(({ tenant }) => placeOf(tenant.id)));
    const victim = cluster.workers.find(url => Number(new URL(url).port) === places[0]) as string;
    const acknowledged: string[][] = clients.map(() => []);
    const others: number[] = [];
    let isKilled = false;
    let isDone = false;
    const writing = clients.map(async ({ call }, index) => {
      for (let turn = 0; !isDone || turn < 40; turn++) {
        const company = `Company ${turn}`;
        const { status } = await call('POST', '/clients', {
          body: { company },
          headers: { 'Idempotency-Key': company },
        });
        assert.ok([201, 503].includes(status), `${status}`);
        if (status === 201) acknowledged[index]?.push(company);
        else if (places[index] !== places[0]) others.push(status);
        if (turn === 20 && index === 0 && !isKilled) {
          isKilled = true;
          const { rows } = await onNode(victim, name, 'select pg_backend_pid() as pid');
          const { rows: own } = await onNode(
            victim,
            name,
            `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid() and application_name like 'citus%'`,
          );
          // The whole server starts again when one of its processes is killed.
          process.kill(Number(own[0]?.pid ?? rows[0]?.pid), 'SIGKILL');
          isDone = true;
        }
      }
    });
    await Promise.all(writing);
    assert.equal(isKilled, true);
    assert.deepEqual(others, []);
    for (const [index, { call }] of clients.entries()) {
      let companies: { company: string }[] = [];
      await until('the worker is back', async () => {
        const { status, body } = await call('GET', '/clients?fields=company');
        if (status === 200) companies = body;
        return status === 200;
      });
      const found = companies.map(({ company }) => company);
      assert.equal(new Set(found).size, found.length, 'a company is there twice');
      const missing = acknowledged[index]?.filter(company => !found.includes(company));
      assert.deepEqual(missing, [], 'a company that was acknowledged is missing');
    }
  });
});
