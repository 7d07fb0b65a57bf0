import type { TenantDb, Transaction } from '../../src/db/database.ts';
import { plain } from '../../src/db/enter.ts';
import { newId } from '../../src/db/ids.ts';
import { Entries } from '../../src/db/journal/entries.ts';
import { returningIds } from '../../src/db/journal/returning.ts';
import { measureRates, openForWriters, rateLine, type Way } from './writers.ts';

/** Of a write without the journal, the part that the journal may take. */
const allowed = 0.15;

/**
 * `npm run bench journal`: the writes per second of one tenant on 16 connections with fsync on, with and without the journal, and both again
 * with commits that take 2 ms longer. A write is a transaction that creates one client or updates one.
 * @returns the exit status: 1 if the journal takes more than 15 %
 */
export const reportJournal = async (print = console.log): Promise<number> => {
  const { database, db } = await openForWriters();
  const ids = await createClients(db, 1000);
  let within = true;
  for (const latency of [0, 2]) {
    const write = writeOf(db, ids);
    const rates = await measureRates(
      {
        without: closing(() => [], latency, write),
        with: closing(entries => statements.call(entries), latency, write),
      },
      9,
    );
    const [without, journalled] = [...rates.values()].map(({ median }) => median);
    const lost = 1 - (journalled ?? 0) / (without ?? 1);
    within &&= lost <= allowed;
    print(`Commit latency ${latency === 0 ? 'of the disk' : `${latency} ms more`}:`);
    for (const [name, rate] of rates) print(`  ${rateLine(`${name} the journal`, rate)}`);
  }
  await database.close();
  return within ? 0 : 1;
};

const { statements } = Entries.prototype;

/**
 * A way to write whose transactions end with the journal's statements given and a pause before COMMIT, in which they hold what they have
 * locked, as while a slow disk or a standby writes. The service has no switch for it: the class is changed for this process.
 */
const closing =
  (own: (entries: Entries) => ReturnType<Entries['statements']>, latency: number, write: Way): Way =>
  () => {
    Entries.prototype.statements = function (this: Entries) {
      return [...own(this), ...(latency > 0 ? [plain(`select pg_sleep(${latency / 1000})`)] : [])];
    };
    return write();
  };

const insert = `insert into clients (tenant_id, id, company) values ($1, $2, $3)${returningIds('clients')}`;
const update = `update clients set company = $3, updated_at = now() where tenant_id = $1 and id = $2${returningIds('clients')}`;

const create = async (transaction: Transaction, company: string): Promise<string> => {
  const id = String(await newId(transaction, 'clients'));
  await transaction.send({ name: 'bench_insert', text: insert, values: [String(transaction.tenant.id), id, company] });
  return id;
};

const createClients = (db: TenantDb, count: number): Promise<readonly string[]> =>
  db.transaction(async transaction => {
    const ids: string[] = [];
    while (ids.length < count) ids.push(await create(transaction, `Client ${ids.length}`));
    return ids;
  });

/** A way that creates and updates by turns; two writers at the same time update different clients. */
const writeOf = (db: TenantDb, ids: readonly string[]): Way => {
  let turn = 0;
  return () =>
    db.transaction(async transaction => {
      const company = `Company ${++turn}`;
      if (turn % 2 === 0) return create(transaction, company);
      const values = [String(db.tenant.id), ids[turn % ids.length] as string, company];
      return transaction.send({ name: 'bench_update', text: update, values });
    });
};
