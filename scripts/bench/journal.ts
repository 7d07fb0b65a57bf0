import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import type { Call } from '../../src/core/call/call.ts';
import { defaultLimits } from '../../src/core/call/limits.ts';
import type { TenantDb } from '../../src/db/database.ts';
import { plain } from '../../src/db/enter.ts';
import { Entries } from '../../src/db/journal/entries.ts';
import { create } from '../../src/engine/create.ts';
import { update } from '../../src/engine/update.ts';
import { measureRates, medianOf, openForWriters, rateLine, type WriterWay } from './writers.ts';

/** Of a write without the journal, the part that the journal may take. */
const allowed = 0.15;

/**
 * `npm run bench journal`: writes per second of one tenant on 16 connections with fsync on.
 * With and without the journal, and both again with commits that take 2 ms longer. A write creates one client or updates one, as the API
 * does, without HTTP.
 * @returns the exit status: 1 if the journal takes more than 15 %
 */
export const reportJournal = async (_args: readonly string[], print = console.log): Promise<number> => {
  const { database, db } = await openForWriters();
  const write = await writeOf(db);
  let within = true;
  for (const latency of [0, 2]) {
    const ways = {
      without: closing(() => [], latency, write),
      with: closing(entries => statements.call(entries), latency, write),
    };
    const rates = await measureRates(ways, 31, 500);
    const [without = [], journalled = []] = [...rates.values()];
    // Of the same round, since a shared machine is not equally fast in all of them.
    const lost = medianOf(without.map((rate, round) => 1 - (journalled[round] as number) / rate));
    within &&= lost <= allowed;
    print(`Commit latency ${latency === 0 ? 'of the disk' : `${latency} ms more`}:`);
    for (const [name, own] of rates) print(`  ${rateLine(`${name} the journal`, own)}`);
    print(`  ${(100 * lost).toFixed(1)} % less with it (median of the rounds)`);
  }
  await database.close();
  return within ? 0 : 1;
};

const { statements } = Entries.prototype;

/**
 * A way to write whose transactions end with the given statements of the journal and a pause.
 * They hold what they have locked until COMMIT, as while a slow disk or a standby writes. The service has no switch for it: the class is
 * changed for this process.
 */
const closing =
  (own: (entries: Entries) => ReturnType<Entries['statements']>, latency: number, write: WriterWay): WriterWay =>
  () => {
    Entries.prototype.statements = function (this: Entries) {
      return [...own(this), ...(latency > 0 ? [plain(`select pg_sleep(${latency / 1000})`)] : [])];
    };
    return write();
  };

/** Returns a way to create and update clients by turns; writers update different ones. */
export const writeOf = async (db: TenantDb): Promise<WriterWay> => {
  const { fields } = await createTenantFields(resources).read(db);
  const { clients } = resources;
  const callOf = (id: number, company: string) =>
    ({
      principal: { tenant: db.tenant },
      ...{ resources, fields, id, externalId: null, parent: null, parameters: [], limits: defaultLimits },
      ...{ body: { company }, findings: [], headers: { ifMatch: null, idempotencyKey: null, declared: {} } },
    }) as unknown as Call;
  let turn = 0;
  const createOne = () => create(callOf(0, `Company ${++turn}`), clients, db, {});
  const ids: number[] = [];
  while (turn < 1000) ids.push(Number((await createOne()).headers?.location?.split('/').at(-1)));
  return () =>
    turn % 2 === 0
      ? createOne()
      : update(callOf(ids[turn++ % ids.length] as number, `Company ${turn}`), clients, db, {});
};
