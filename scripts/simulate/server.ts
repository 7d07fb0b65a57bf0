import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { startAutomations } from '../../src/automations/runner.ts';
import type { Tenant } from '../../src/core/principal.ts';
import { modules } from '../../src/core/resource/modules.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { createFiles } from '../../src/files/files.ts';
import { trustProxies } from '../../src/http/request/proxy.ts';
import { memoryCounter } from '../../src/http/request/rate-limit.ts';
import { startImports } from '../../src/imports/worker.ts';
import { createApi, importParts } from '../../src/server/api.ts';
import { startConflicts } from '../../src/server/jobs/conflicts.ts';
import { startSweeper } from '../../src/server/jobs/sweeper.ts';
import { createCallers } from '../../src/tenancy/caller/callers.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createHostsOf } from '../../src/tenancy/tenants.ts';
import { createTokens, type Tokens } from '../../src/tenancy/tokens.ts';
import { SimulatedNetwork } from './transport.ts';

/** A server of the whole service in this process, with one tenant: a sandbox, which receives webhooks. */
export interface SimulatedServer {
  readonly database: Database;
  readonly tenant: Tenant;
  readonly tokens: Tokens;
  readonly transport: SimulatedNetwork;
  /** What the server has logged as a warning or an error. */
  readonly logs: readonly string[];
  close(): Promise<void>;
}

/** Milliseconds that no statement takes: time stands still while the database works. */
const wide = 120_000;

/**
 * Opens an empty database in memory, and starts what a server runs on it.
 * @param template the archive with the files with which the database begins; null: it is created and migrated
 */
export const startServer = async (template: string | null): Promise<SimulatedServer> => {
  const logs: string[] = [];
  const log = pino({ level: 'warn' }, { write: line => void logs.push(line) });
  const timeouts = { statementTimeoutMs: wide, lockTimeoutMs: wide, poolTimeoutMs: wide };
  const begun = template !== null && { template: gunzipSync(readFileSync(template)) };
  const database = openDatabase({ url: null, dataDir: 'memory://', ...begun, ...timeouts });
  await database.migrate();
  const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
  const tokens = createTokens({ database, keys, issuer: 'staffing' });
  const folder = mkdtempSync(join(tmpdir(), 'staffing-simulate-'));
  const files = await createFiles({ folder, limit: 1_048_576, s3: null });
  const api = createApi({
    database,
    services: { files, hostsOf: createHostsOf(database, 'test'), wakeups: database.wakeups },
    log,
    proxies: trustProxies(['127.0.0.1']),
    callers: createCallers({ database, baseDomain: 'test', readToken: tokens.read }),
    rateLimit: { counter: memoryCounter(60), requests: 1_000_000, period: 60 },
    limits: { body: 1_048_576, jsonDepth: 64, url: 8192 },
    concurrency: 1_000_000,
    attempts: 4,
    repeats: { bytes: 33_554_432, holds: database.holds },
  });
  const properties = { slug: 'simulated', name: 'Simulated', timeZone: 'Europe/Berlin', modules: [...modules] };
  const tenant = await createTenant(database, { ...properties, hosts: [], rateLimit: null, sandbox: true }, 'test');
  const webhooks = { timeout: 1000, networks: [], http: false };
  const stopAutomations = await startAutomations(
    { attempts: 2, concurrency: { process: 2, tenant: 2, target: 2 }, webhooks },
    database,
    log,
  );
  const stopImports = await startImports(importParts({ database, files, cells: { defused: true, depth: 64 }, log }));
  const stopConflicts = startConflicts(database, log);
  const stopSweeper = startSweeper(files, database, 30, log);
  return {
    database,
    tenant,
    tokens,
    transport: new SimulatedNetwork(api.callback()),
    logs,
    close: async () => {
      database.wakeups.stop();
      await Promise.all([stopAutomations(), stopImports(), stopConflicts(), stopSweeper()]);
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
