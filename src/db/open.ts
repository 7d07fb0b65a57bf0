import type { Kysely } from 'kysely';
import type { Tables } from '../../generated/tables.ts';
import type { Tenant } from '../core/principal.ts';
import type { Pool } from './connection.ts';
import type { Result, Statement, TenantDb, Transaction } from './database.ts';
import { enterOwner, plain, type Timeouts } from './enter.ts';
import { embeddedIds, type Ids, serverIds } from './id-blocks/ids.ts';
import { kyselyOn, kyselyWithin } from './kysely.ts';
import { embeddedPool, postgresPool } from './pool.ts';
import { type QueueDatabase, queueDatabase } from './queue.ts';
import { type ExpectedSchema, findDifferences } from './schema/compare.ts';
import { ownSchema, type Schema } from './schema/files.ts';
import { type MigrationStatus, migrate, migrationStatus, pendingFiles } from './schema/migrate.ts';
import type { AccessTables, SystemTables } from './system-tables.ts';
import { tenantDb } from './tenant.ts';
import { tenantPlugin } from './tenant-plugin.ts';
import { transact } from './transaction.ts';

export interface DatabaseOptions {
  /** Of a Postgres server; null: the embedded database. */
  readonly url: string | null;
  /** Where migrations connect to, past a transaction pooler or as another user; null: the same. */
  readonly migrationUrl?: string | null;
  /** Folder of the embedded database, or `memory://`. */
  readonly dataDir: string;
  /** Connections to a Postgres server at most. */
  readonly poolSize?: number;
  /** Milliseconds that a tenant's statement may take. */
  readonly statementTimeoutMs?: number;
  /** Milliseconds that a tenant's statement may wait for a lock. */
  readonly lockTimeoutMs?: number;
  /** Milliseconds to wait for a connection. */
  readonly patienceMs?: number;
  /** Off: no named statements, for a pooler that cannot keep them. */
  readonly prepared?: boolean;
  readonly log?: Log;
  /** Another than the service's own, for tests. */
  readonly schema?: Schema;
}

/** The part of a logger that is used here. */
export interface Log {
  warn(details: object, message: string): void;
}

/** A transaction for one tenant's data in the role that the connection logged in as: for what the tenants' API may not write. */
export interface OwnerTransaction extends Pick<Transaction, 'newIds'> {
  readonly tenantId: number;
  send(...statements: readonly Statement[]): Promise<readonly Result[]>;
  /** Bound to the tenant by the tenant plugin. */
  readonly kysely: Kysely<Tables & AccessTables>;
  /** The service's own tables, in the same transaction. */
  readonly system: Kysely<SystemTables>;
}

export interface Database {
  readonly kind: 'postgres' | 'embedded';
  /** @param signal ends what is being read, when no one waits for it any more. */
  forTenant(tenant: Tenant, signal?: AbortSignal): TenantDb;
  /** The service's own tables. */
  readonly system: Kysely<SystemTables>;
  /** What the job queue's library works on. */
  readonly queue: QueueDatabase;
  asOwner<T>(tenantId: number, work: (transaction: OwnerTransaction) => Promise<T>): Promise<T>;
  /** @throws DatabaseError if the database does not answer. */
  ping(): Promise<void>;
  /**
   * Applies pending migrations; see migrate.ts.
   * @returns the names of those applied.
   */
  migrate(): Promise<readonly string[]>;
  migrations(): Promise<readonly MigrationStatus[]>;
  /** Names of the migrations that the database lacks, and of the views and functions that are not this release's. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Returns a line for each difference between what is expected of the migrated database and what it has. */
  differences(expected: ExpectedSchema): Promise<readonly string[]>;
  /**
   * Renews the planner's statistics, after much has been written at once. A server does so by itself in a while; the embedded
   * database never, but for each time that it is migrated.
   */
  analyze(): Promise<void>;
  /** Waits for the work under way, then closes every connection and the embedded database. */
  close(): Promise<void>;
}

/** Milliseconds. */
const LOCK_TIMEOUT = 2000;
const PATIENCE = 2000;
const IDLE_TIMEOUT = 10_000;
/** How much later than a Postgres server this side gives up a statement: for a server that does not answer at all. */
const GRACE = 1000;
/** Filling a database with demo data takes long statements. */
const OWNER_STATEMENT = 600_000;

/**
 * Opens the database; connections are made when they are needed, so that a Postgres server may be down at this moment.
 * @throws EmbeddedDatabaseError if the embedded database is in use by another process or damaged.
 */
export const openDatabase = (options: DatabaseOptions): Database => {
  const { url, migrationUrl, dataDir, statementTimeoutMs: statement = 5000, schema = ownSchema } = options;
  const pool = openPool(options);
  const timeouts: Timeouts = { statement, lock: options.lockTimeoutMs ?? LOCK_TIMEOUT, idle: IDLE_TIMEOUT };
  const deadline = pool.kind === 'embedded' ? statement : statement + GRACE;
  const system = kyselyOn<SystemTables>(pool, { deadline, patience: options.patienceMs ?? PATIENCE });
  const ids = pool.kind === 'embedded' ? embeddedIds() : serverIds(openPool({ ...options, poolSize: 1 }), deadline);
  const migrateOn = async (target: Pool, login: string | null): Promise<readonly string[]> => {
    const { applied, keptRelease } = await migrate(target, login, schema);
    if (keptRelease !== null)
      options.log?.warn(
        { release: schema.release, keptRelease },
        `Release ${keptRelease}, newer than this one (${schema.release}), made the database's views and functions: they stay as they are.`,
      );
    return applied;
  };
  return {
    kind: pool.kind,
    system,
    queue: queueDatabase(pool),
    forTenant: (tenant, signal) => tenantDb(pool, tenant, timeouts, deadline, ids, signal),
    asOwner: (tenantId, work) => asOwner(pool, ids, tenantId, work),
    async ping() {
      const connection = await pool.connect();
      await connection.send([plain('select 1')], deadline).finally(() => connection.release());
    },
    async migrate() {
      if (pool.kind === 'embedded') {
        const applied = await migrateOn(pool, null);
        await analyze(pool);
        return applied;
      }
      const own = openPool({ ...options, url: migrationUrl ?? url, dataDir, poolSize: 1 });
      try {
        return await migrateOn(own, migrationUrl ? await loginOf(pool) : null);
      } finally {
        await own.end();
      }
    },
    migrations: () => migrationStatus(pool, schema),
    differences: expected => findDifferences(pool, expected),
    analyze: () => analyze(pool),
    pendingMigrations: () => pendingFiles(pool, schema),
    async close() {
      await pool.end();
      await ids.end();
    },
  };
};

const openPool = (options: DatabaseOptions): Pool => {
  const { url, dataDir, poolSize: size = 10, prepared = true, patienceMs: patience = PATIENCE, log } = options;
  const onIdleError = (error: Error) => log?.warn({ err: error }, 'An idle database connection broke.');
  return url === null
    ? embeddedPool(dataDir, { patience, prepared, onIdleError })
    : postgresPool(url, { size, patience, prepared, onIdleError });
};

const analyze = async (pool: Pool): Promise<void> => {
  const connection = await pool.connect(Number.POSITIVE_INFINITY);
  // With no process of its own that cleans up, the embedded database keeps every old version of a row until someone does.
  const statement = pool.kind === 'embedded' ? 'vacuum analyze' : 'analyze';
  await connection.send([plain(statement)]).finally(() => connection.release());
};

const loginOf = async (pool: Pool): Promise<string | null> => {
  const connection = await pool.connect();
  const [result] = await connection.send([plain('select current_user')]).finally(() => connection.release());
  return result?.rows[0]?.[0] ?? null;
};

const ownerTimeouts: Timeouts = { statement: OWNER_STATEMENT, lock: 10_000, idle: OWNER_STATEMENT };

const asOwner = <T>(
  pool: Pool,
  ids: Ids,
  tenantId: number,
  work: (transaction: OwnerTransaction) => Promise<T>,
): Promise<T> => {
  const statements = [plain('begin'), ...enterOwner(tenantId, ownerTimeouts)];
  return transact(pool, { statements, deadline: OWNER_STATEMENT + GRACE }, trips =>
    work({
      tenantId,
      newIds: (table, count) => ids.take({ tenantId, trips, asTenant: false }, table, count),
      send: (...statements) => trips.send(statements),
      kysely: kyselyWithin(statements => trips.send(statements), [tenantPlugin(tenantId)]),
      system: kyselyWithin(statements => trips.send(statements), []),
    }),
  );
};
