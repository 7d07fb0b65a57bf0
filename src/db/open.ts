import type { Kysely } from 'kysely';
import { type Origin, system as service } from '../core/origin.ts';
import type { Tenant } from '../core/principal.ts';
import type { Pool, RawResult, RawStatement } from './connection.ts';
import type { Confirmation, Statement, TenantDb } from './database.ts';
import { enterTenant, plain, READ, type Timeouts } from './enter.ts';
import { embeddedIds, serverIds } from './id-blocks/ids.ts';
import { JournalServers, type RenewalOptions } from './journal/renewal.ts';
import { type Earlier, SnapshotChecks } from './journal/snapshots.ts';
import { Wakeups } from './journal/wakeups.ts';
import { kyselyOn } from './kysely.ts';
import { asOwner, GRACE, type OwnerTransaction } from './owner.ts';
import { embeddedPool, postgresPool } from './pool/pool.ts';
import type { Usage } from './pool/turns.ts';
import { type QueueDatabase, queueDatabase } from './queue.ts';
import { type ExpectedSchema, findDifferences } from './schema/compare.ts';
import { type DistributionOptions, distribute, missingOf } from './schema/distribution/distribute.ts';
import { type DatabaseSchema, ownSchema } from './schema/files.ts';
import { type MigrationStatus, migrate, migrationStatus, pendingFiles } from './schema/migrate.ts';
import type { SystemTables } from './system-tables.ts';
import { tenantDb } from './tenant.ts';
import { askOnce } from './transaction.ts';

/** Settings of a database. */
export interface DatabaseOptions {
  /** URL of a Postgres server; null: the embedded database. */
  readonly url: string | null;
  /** URL for migrations and for claiming blocks of ids, past a pooler; null: the same as `url`. */
  readonly migrationUrl?: string | null;
  /** Folder of the embedded database, or `memory://`. */
  readonly dataDir: string;
  /** The files with which a new embedded database begins, as a tar archive of PGlite; for tests. */
  readonly template?: Uint8Array;
  /** Maximum number of connections to a Postgres server. */
  readonly poolSize?: number;
  /** Maximum milliseconds that a tenant's statement may take. */
  readonly statementTimeoutMs?: number;
  /** Maximum milliseconds that a tenant's statement may wait for a lock. */
  readonly lockTimeoutMs?: number;
  /** Maximum milliseconds to wait for a connection. */
  readonly poolTimeoutMs?: number;
  /** False: no named statements, for a connection pooler that does not support them. */
  readonly prepared?: boolean;
  readonly log?: DatabaseLog;
  /** Replaces the service's own schema; for tests. */
  readonly schema?: DatabaseSchema;
}

/** The logger methods used by the database. */
export interface DatabaseLog {
  warn(details: object, message: string): void;
}

/** The database of the service. */
export interface Database {
  readonly kind: 'postgres' | 'embedded';
  /**
   * Returns the database restricted to one tenant.
   * @param signal cancels reads whose caller has gone.
   * @param origin what causes changes; default: the service
   * @param confirmation comes with the reads until one has confirmed it; longer transactions wait for it
   */
  forTenant(tenant: Tenant, signal?: AbortSignal, origin?: Origin, confirmation?: Confirmation): TenantDb;
  /** Returns whether what was read of a tenant earlier is still what it has, in one trip. */
  holds(tenantId: number, earlier: Earlier): Promise<boolean>;
  /** The service's own tables. */
  readonly system: Kysely<SystemTables>;
  /**
   * Sends one statement, in no transaction, that reads them or enters tenants by itself.
   * For what requests ask, without a query builder.
   * @param tenantId on whose account a connection is taken; default: the service's
   * @throws DatabaseError
   */
  ask(statement: Statement, tenantId?: number): Promise<RawResult>;
  /** Waiting for entries of the tenants' journals. */
  readonly wakeups: Wakeups;
  /** The interface for the job queue's library. */
  readonly queue: QueueDatabase;
  /** Runs `work` in a transaction of the tables' owner. @param origin what causes changes */
  asOwner<T>(tenantId: number, work: (transaction: OwnerTransaction) => Promise<T>, origin?: Origin): Promise<T>;
  /** Renews a tenant's journal whatever server has written it. */
  renewJournal(tenantId: number, options: RenewalOptions): Promise<void>;
  /** How the connections of this process are used now. */
  usage(): Usage;
  /** Checks that the database responds. @throws DatabaseError if it does not. */
  ping(): Promise<void>;
  /**
   * Applies pending migrations; see migrate.ts.
   * @param signal ends it between two files; then none of them is applied.
   * @returns the names of the applied migrations.
   */
  migrate(signal?: AbortSignal): Promise<readonly string[]>;
  /** Distributes the tables of tenants; see distribute.ts. @returns the number of steps */
  distribute(options: DistributionOptions): Promise<number>;
  /** Returns what a distributed database lacks; null: it is not to be one. */
  missingOfDistribution(): Promise<readonly string[] | null>;
  /** Returns each migration of this release and whether it has been applied. */
  migrations(): Promise<readonly MigrationStatus[]>;
  /** Returns the migrations not applied yet, and the files of views and functions that differ. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Returns one line for each difference between the expected and the actual schema. */
  differences(expected: ExpectedSchema): Promise<readonly string[]>;
  /**
   * Updates the planner's statistics after bulk writes.
   * A server eventually does so by itself; the embedded database only when it is migrated.
   */
  analyze(): Promise<void>;
  /**
   * Runs `work` while nothing is written to the embedded database, whose files are complete then.
   * @throws Error on a Postgres server, which others may write to
   */
  still<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for in-flight work, then closes all connections and the embedded database. */
  close(): Promise<void>;
}

/** Milliseconds. */
const LOCK_TIMEOUT = 2000;
const TIMEOUT = 2000;
const IDLE_TIMEOUT = 10_000;

/**
 * Opens the database. Connections are made on demand, so a Postgres server need not be available yet.
 * @throws EmbeddedDatabaseError if the embedded database is in use by another process or damaged.
 */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { url, migrationUrl, dataDir, statementTimeoutMs: statement = 5000, schema = ownSchema } = options;
  const timeouts: Timeouts = [`${statement}`, `${options.lockTimeoutMs ?? LOCK_TIMEOUT}`, `${IDLE_TIMEOUT}`];
  const pool = openPool(options, enterTenant({ id: 1, clockAhead: 0 }, timeouts, READ));
  const deadline = pool.kind === 'embedded' ? statement : statement + GRACE;
  const system = kyselyOn<SystemTables>(pool, { deadline, timeout: options.poolTimeoutMs ?? TIMEOUT });
  const ask: Database['ask'] = (statement, id) => askOnce(pool, statement, { owner: id ?? null, deadline });
  const wakeups = new Wakeups(ask);
  const checks = new SnapshotChecks(ask);
  const journals = new JournalServers(async (id, work) => (await asOwner(pool, ids, id, work, service)).result);
  // Past a transaction pooler: writers who hold all of its connections would otherwise wait for ids, and the claim for one of them.
  const openIdPool = () => openPool({ ...options, url: migrationUrl ?? url, poolSize: 1 });
  const ids = pool.kind === 'embedded' ? embeddedIds() : serverIds(openIdPool(), deadline);
  const migrateOn = async (target: Pool, login: string | null, signal?: AbortSignal): Promise<readonly string[]> => {
    const { applied, keptRelease } = await migrate(target, login, schema, signal);
    if (keptRelease !== null)
      options.log?.warn(
        { release: schema.release, keptRelease },
        `The database's views and functions are those of release ${keptRelease}, newer than this release (${schema.release}); they were left unchanged.`,
      );
    return applied;
  };
  /** Runs `work` on a connection of its own, past a pooler. */
  const asMigrator = async <T>(work: (own: Pool, login: () => Promise<string | null>) => Promise<T>): Promise<T> => {
    const own = openPool({ ...options, url: migrationUrl ?? url, dataDir, poolSize: 1 });
    try {
      return await work(own, async () => (migrationUrl ? sendAlone(pool, 'select current_user') : null));
    } finally {
      await own.end();
    }
  };
  return {
    kind: pool.kind,
    system,
    ask,
    wakeups,
    queue: queueDatabase(pool),
    forTenant: (tenant, signal, origin = service, confirmation) =>
      tenantDb({ pool, tenant, timeouts, deadline, ids, origin, journals, signal, confirmation }),
    holds: (tenantId, earlier) => checks.holds(tenantId, earlier),
    async asOwner(tenantId, work, origin = service) {
      const { result, entered } = await asOwner(pool, ids, tenantId, work, origin);
      if (entered) await journals.meet(tenantId, entered).catch(() => {});
      return result;
    },
    renewJournal: (tenantId, options) => journals.renew(tenantId, options),
    usage: () => pool.usage(),
    ping: async () => void (await sendAlone(pool, 'select 1', undefined, deadline)),
    async migrate(signal) {
      if (pool.kind === 'embedded') {
        const applied = await migrateOn(pool, null, signal);
        await analyze(pool);
        return applied;
      }
      return asMigrator(async (own, login) => migrateOn(own, await login(), signal));
    },
    distribute: options => asMigrator((own, login) => distribute(own, login, schema, options)),
    missingOfDistribution: () => missingOf(pool),
    migrations: () => migrationStatus(pool, schema),
    differences: expected => findDifferences(pool, expected),
    analyze: () => analyze(pool),
    pendingMigrations: () => pendingFiles(pool, schema),
    still: work => still(pool, work),
    async close() {
      wakeups.stop();
      await pool.end();
      await ids.end();
    },
  };
};

const openPool = (options: DatabaseOptions, opening: readonly RawStatement[] = []): Pool => {
  const { url, dataDir, template, poolSize: size = 10, prepared = true } = options;
  const { poolTimeoutMs: timeout = TIMEOUT, log } = options;
  // Not the error itself: the connection that `pg` adds to it has the key that cancels its statements.
  const onIdleError = ({ message }: Error) => log?.warn({ cause: message }, 'An idle database connection failed.');
  return url === null
    ? embeddedPool(dataDir, { timeout, prepared, onIdleError }, template)
    : postgresPool(url, { size, timeout, prepared, onIdleError, opening });
};

const still = async <T>(pool: Pool, work: () => Promise<T>): Promise<T> => {
  if (pool.kind !== 'embedded') throw new Error('A Postgres server cannot be held still.');
  // Its only connection: nobody else is in a transaction.
  const connection = await pool.connect(Number.POSITIVE_INFINITY);
  try {
    await connection.send([plain('checkpoint')]);
    return await work();
  } finally {
    connection.release();
  }
};

/** Sends a statement outside of transactions. @param timeout milliseconds to wait for a connection */
const sendAlone = async (pool: Pool, text: string, timeout?: number, deadline?: number): Promise<string | null> => {
  const connection = await pool.connect(timeout);
  const [result] = await connection.send([plain(text)], deadline).finally(() => connection.release());
  return result?.rows[0]?.[0] ?? null;
};

const analyze = async (pool: Pool): Promise<void> => {
  // The embedded database has no autovacuum.
  await sendAlone(pool, pool.kind === 'embedded' ? 'vacuum analyze' : 'analyze', Number.POSITIVE_INFINITY);
};
