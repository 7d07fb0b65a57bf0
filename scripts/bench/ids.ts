import { newId } from '../../src/db/ids.ts';
import { openDatabase } from '../../src/db/open.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';

/**
 * Measures inserts per second of one tenant on 16 connections with fsync on, with ids from the tenant's own blocks,
 * from one sequence like that of an identity column, and from a counter row that each insert locks.
 */
const url = await startPostgres({ fsync: 'on', synchronous_commit: 'on' });
const database = openDatabase({ url, dataDir: 'memory://', poolSize: 16 });
await database.migrate();
const tenant = await database.system
  .insertInto('tenants')
  .values({ slug: 'bench', name: 'bench', time_zone: 'UTC', modules: '[]' })
  .returning('id')
  .executeTakeFirstOrThrow();
await database.queue.executeSql('create sequence bench_ids; grant usage on sequence bench_ids to staffing_tenant');
await database.queue.executeSql(
  'create table bench_counter (next bigint); insert into bench_counter values (1000000000); grant all on bench_counter to staffing_tenant',
);
const db = database.forTenant({
  id: tenant.id,
  slug: 'bench',
  name: 'bench',
  timeZone: 'UTC',
  modules: new Set(),
  rateLimit: null,
  clockAhead: 0,
});

const insert = (id: string) => `insert into clients (tenant_id, id, company) values ($1, ${id}, 'Bench')`;
const values = [String(tenant.id)];
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  sequence: () =>
    db.transaction(transaction =>
      transaction.send({ name: 'bench_sequence', text: insert("100000000 + nextval('bench_ids')"), values }),
    ),
  blocks: () =>
    db.transaction(async transaction => {
      const id = await newId(transaction, 'clients');
      await transaction.send({ name: 'bench_blocks', text: insert('$2'), values: [...values, String(id)] });
    }),
  counter: () =>
    db.transaction(async transaction => {
      const text = 'update bench_counter set next = next + 1 returning next';
      const [result] = await transaction.send({ name: 'bench_counter', text, values: [] });
      const id = result?.rows[0]?.[0] ?? null;
      await transaction.send({ name: 'bench_blocks', text: insert('$2'), values: [...values, id] });
    }),
};

const rate = async (way: () => Promise<unknown>, milliseconds: number): Promise<number> => {
  let done = 0;
  const end = performance.now() + milliseconds;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (; performance.now() < end; done++) await way();
    }),
  );
  return (done * 1000) / milliseconds;
};

const rates = new Map<string, number[]>(Object.keys(ways).map(name => [name, []]));
for (const way of Object.values(ways)) await rate(way, 500);
for (let round = 0; round < 5; round++)
  for (const [name, way] of Object.entries(ways)) rates.get(name)?.push(await rate(way, 2000));
for (const [name, all] of rates) {
  const sorted = all.toSorted((a, b) => a - b);
  console.info(`${name}: ${Math.round(sorted[2] as number)} inserts per second (${sorted.map(Math.round).join(', ')})`);
}
await database.close();
