import { newId } from '../../src/db/ids.ts';
import { returningIds } from '../../src/db/journal/returning.ts';
import { measureRates, openForWriters, rateLine, type WriterWay } from './writers.ts';

/**
 * Measures inserts per second of one tenant on 16 connections with fsync on.
 * Ids are from the tenant's own blocks, from one sequence like that of an identity column, and from a counter row
 * that each insert locks.
 */
const { database, db } = await openForWriters();
await database.queue.executeSql('create sequence bench_ids; grant usage on sequence bench_ids to staffing_tenant');
await database.queue.executeSql(
  'create table bench_counter (next bigint); insert into bench_counter values (1000000000); grant all on bench_counter to staffing_tenant',
);

const insert = (id: string) =>
  `insert into clients (tenant_id, id, company) values ($1, ${id}, 'Bench')${returningIds('clients')}`;
const values = [String(db.tenant.id)];
const ways: Readonly<Record<string, WriterWay>> = {
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

for (const [name, rates] of await measureRates(ways, 5, 2000)) console.info(rateLine(name, rates));
await database.close();
