import type { Origin } from '../core/origin.ts';
import type { Tenant } from '../core/principal.ts';
import type { Pool, RawStatement } from './connection.ts';
import type { Confirmation, Entered, Proof, Result, Statement, TenantDb } from './database.ts';
import { COMMIT, enteredOf, enterTenant, presentStatement, READ, type Timeouts, WRITE } from './enter.ts';
import { DatabaseError } from './errors.ts';
import type { Ids } from './id-blocks/ids.ts';
import type { JournalServers } from './journal/renewal.ts';
import { TenantTransaction } from './tenant-transaction.ts';
import { alone, notRepeated, transact, withConnection } from './transaction.ts';
import { newQueue, type Queue, type Trips } from './trips.ts';

/** What a tenant's database consists of. */
export interface TenantDatabaseParts {
  readonly pool: Pool;
  readonly tenant: Tenant;
  readonly timeouts: Timeouts;
  /** Maximum milliseconds between two results, if the database does not enforce the timeout itself. */
  readonly deadline: number;
  readonly ids: Ids;
  /** What causes the changes of its transactions. */
  readonly origin: Origin;
  /** Renews journals that another server has written. */
  readonly journals: JournalServers;
  /** Cancels reads; writes are completed. */
  readonly signal?: AbortSignal | undefined;
  /** What each transaction proves. */
  readonly proof?: Proof;
  /** What is confirmed with the first read, or before a transaction of several trips. */
  readonly confirmation?: Confirmation | undefined;
}

/** Returns the database restricted to one tenant. */
export const tenantDb = (parts: TenantDatabaseParts): TenantDb => {
  const { pool, tenant, timeouts, deadline, ids, origin, journals, signal, proof, confirmation } = parts;
  const proving = proof ? [proof.statement] : [];
  let proved = false;
  /** Takes the results of the opening. */
  const prove = (opened: readonly Result[]): Entered => {
    const entered = enteredOf(opened.at(proof ? -2 : -1));
    if (!proof) return entered;
    proved = true;
    const [row] = opened.at(-1)?.rows ?? [];
    if (row) proof.verified?.(row, entered);
    return entered;
  };
  /** Runs `work` in a transaction of several trips. */
  const run = async <T>(begin: RawStatement, work: (trips: Trips) => Promise<T>, ending?: AbortSignal): Promise<T> => {
    await confirmation?.confirm();
    let entered: Entered | null = null;
    const opened = (results: readonly Result[]) => {
      entered = prove(results);
    };
    const entering = enterTenant(tenant, timeouts, begin);
    const opening = { statements: [...entering, ...proving], entering, owner: tenant.id, deadline, opened };
    const result = await transact(pool, opening, work, ending);
    // What is committed stays so. The next one who writes or reads the journal asks again.
    if (begin === WRITE && entered) await journals.meet(tenant.id, entered).catch(() => {});
    return result;
  };
  const read = (statements: readonly Statement[]) =>
    withConnection(pool, tenant.id, signal, async connection => {
      const opened = [...enterTenant(tenant, timeouts, READ), ...proving];
      const question = confirmation?.statement;
      const all = [...opened, ...statements, COMMIT, ...(question ? alone(question) : [])];
      const results = await connection.send(all, deadline).catch((error: unknown) => {
        // A lock that the confirmation has met would take the read with it, again and again.
        throw error instanceof DatabaseError && error.statement === question?.text ? notRepeated(error) : error;
      });
      const entered = prove(results.slice(0, opened.length));
      if (question) confirmation?.take(results.at(-2) as Result);
      return { results: results.slice(opened.length, question ? -4 : -1), ...entered };
    });
  const db: Omit<TenantDb, keyof Brand> = {
    tenant,
    oneConnection: pool.kind === 'embedded',
    proving: proof => tenantDb({ ...parts, proof }),
    as: tenant => tenantDb({ ...parts, tenant }),
    get proved() {
      return proved;
    },
    read: async (...statements) => (await read(statements)).results,
    async readAt(...statements) {
      const found = await read(statements);
      return (await journals.meet(tenant.id, found)) ? read(statements) : found;
    },
    examineJournal: () => journals.examine(tenant.id),
    snapshot: work => run(READ, trips => work(new TenantTransaction(tenant, trips, ids, null, true)), signal),
    transaction: work => run(WRITE, trips => work(new TenantTransaction(tenant, trips, ids, origin, true))),
    joined: work =>
      run(WRITE, trips => {
        const transaction = new TenantTransaction(tenant, trips, ids, origin, false);
        return work(partsOf(transaction, trips, newQueue()), transaction);
      }),
  };
  return db as TenantDb;
};

/** The members whose keys are not strings: the brand, which exists only as a type. */
type Brand = { [Key in keyof TenantDb as Key extends string ? never : Key]: TenantDb[Key] };

/** Returns the database within one transaction, which its reads and transactions are parts of. */
const partsOf = (whole: TenantTransaction, trips: Trips, queue: Queue): TenantDb => {
  const parts: Omit<TenantDb, keyof Brand> = {
    tenant: whole.tenant,
    // The connection is this transaction's until its end.
    oneConnection: false,
    // Its first trip has proved what it was to prove.
    proving: () => parts as TenantDb,
    as: () => parts as TenantDb,
    proved: true,
    read: (...statements) => whole.send(...statements),
    async readAt(...statements) {
      const [present, ...results] = await whole.send(presentStatement, ...statements);
      return { results, ...enteredOf(present) };
    },
    // Its end does so.
    examineJournal: async () => false,
    snapshot: work => work(whole),
    transaction: work => trips.nest(queue, () => whole.part(() => work(whole))),
    joined: work => trips.nest(queue, own => whole.part(() => work(partsOf(whole, trips, own), whole))),
  };
  return parts as TenantDb;
};
