import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { isFolder } from '../../core/disk/folders.ts';
import { DatabaseInUseError } from '../../db/embedded/embedded.ts';
import type { Database } from '../../db/open.ts';
import type { S3Options } from '../../files/s3-store.ts';
import { parseKeySet } from '../../tenancy/keys.ts';
import type { Config } from '../config/config.ts';
import { describeFailure } from '../describe-failure.ts';
import { expectedSchema } from '../expected-schema.ts';
import { interruptedIn } from '../interrupted-restore.ts';
import { openConfigured } from '../open-configured.ts';

/** The result of a check: `fail` means that the service cannot run. */
export interface CheckResult {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

const ok = (check: string, detail: string): CheckResult => ({ check, result: 'ok', detail });
const warn = (check: string, detail: string): CheckResult => ({ check, result: 'warn', detail });
const fail = (check: string, detail: string): CheckResult => ({ check, result: 'fail', detail });

/** Checks that a folder, or the nearest that exists above it, can be written to and has space. */
export const checkFolder = (check: string, folder: string): CheckResult => {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!isFolder(existing)) return fail(check, `${existing} is not a folder`);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return fail(check, `${existing} cannot be written to by this user`);
  }
  const { bavail, bsize, blocks } = statfsSync(existing);
  if (blocks === 0) return fail(check, `${existing} is on a file system that stores nothing`);
  const free = bavail * bsize;
  const detail = `${folder}, ${(free / 2 ** 30).toFixed(1)} GiB free`;
  return free < 2 ** 30 ? warn(check, detail) : ok(check, detail);
};

/** Checks that the object storage lists the files of its bucket. */
export const checkS3 = async (options: S3Options): Promise<CheckResult> => {
  const place = `bucket ${options.bucket} at ${options.endpoint ?? 'Amazon S3'}`;
  try {
    // Loaded only by those who use it.
    const { s3Store } = await import('../../files/s3-store.ts');
    // No tenant has this id: what is listed is nothing.
    for await (const _ of s3Store(options).list(0)) break;
    return ok('files', `in ${place}`);
  } catch (error) {
    return fail('files', `${place}: ${describeFailure(error)}`);
  }
};

/** Checks that Redis responds; without it, instances do not share their counts. */
export const checkRedis = async (url: string): Promise<CheckResult> => {
  try {
    const { pingRedis } = await import('../../http/request/redis-quota.ts');
    await pingRedis(url);
    return ok('Redis', 'responds');
  } catch (error) {
    return warn('Redis', `${describeFailure(error)}; until it responds, each instance counts requests on its own`);
  }
};

/** Checks that a port can be listened on, or that the running server does. */
export const checkPort = async (
  check: string,
  port: number,
  host: string | undefined,
  running: boolean,
): Promise<CheckResult> => {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>(resolve => {
    server.once('error', resolve).listen({ port, ...(host !== undefined && { host }) }, () => resolve(null));
  });
  if (error === null) {
    await new Promise(resolve => server.close(resolve));
    return ok(check, `${port} is free`);
  }
  if (error.code === 'EADDRINUSE' && running) return ok(check, `${port} is in use by the running server`);
  return fail(check, error.code === 'EADDRINUSE' ? `${port} is in use by another process` : error.message);
};

const isReadOnly = async (database: Database): Promise<boolean> => {
  const { rows } = await database.ask({
    name: null,
    text: `select current_setting('transaction_read_only')`,
    values: [],
  });
  return rows[0]?.[0] === 'on';
};

/** Checks that a database with the extension "citus" is distributed as this release needs it. */
const checkDistribution = async (database: Database): Promise<string | null> => {
  const missing = database.kind === 'embedded' ? null : await database.missingOfDistribution();
  if (missing === null || missing.length === 0) return null;
  const more = missing.length > 5 ? `; and ${missing.length - 5} more` : '';
  return `not distributed as this release needs it (run "staffing distribute" while no instance runs): ${missing.slice(0, 5).join('; ')}${more}`;
};

/** Checks that the database opens, and has this release's schema or will get it at the start. */
export const checkDatabase = async (config: Config, running: boolean): Promise<CheckResult> => {
  const check = 'database';
  const isNew = !existsSync(join(config.dataDir, 'database')) && !interruptedIn(config.dataDir);
  if (config.database.url === null && isNew)
    return ok(check, `embedded, in ${config.dataDir}; created at the first start`);
  let database: Database | null = null;
  try {
    database = openConfigured(config, pino({ level: 'silent' }));
    const pending = await database.pendingMigrations();
    const kind = database.kind === 'embedded' ? `embedded, in ${config.dataDir}` : 'Postgres';
    if (pending.length > 0)
      return config.database.migrate
        ? ok(check, `${kind}; ${pending.length} files of the schema are applied at the next start`)
        : fail(check, `${kind}; migrations are pending (${pending.join(', ')}) and DATABASE_MIGRATE is false`);
    const differences = await database.differences(expectedSchema);
    if (differences.length > 0) return fail(check, `${kind}; differs from this release: ${differences.join('; ')}`);
    const undistributed = await checkDistribution(database);
    if (undistributed !== null) return fail(check, `${kind}; ${undistributed}`);
    if (await isReadOnly(database))
      return warn(
        check,
        `${kind}; up to date, but read-only (a standby, or default_transaction_read_only): writes get 503`,
      );
    return ok(check, `${kind}; up to date`);
  } catch (error) {
    if (error instanceof DatabaseInUseError && running) return ok(check, 'embedded, in use by the running server');
    return fail(check, describeFailure(error));
  } finally {
    await database?.close();
  }
};

const days = (date: Date): number => Math.floor((date.getTime() - Date.now()) / 86_400_000);

/** Checks the configured certificate; without one the server makes its own, or a proxy has one. */
export const checkCertificate = ({ tls, production }: Config): CheckResult => {
  const check = 'certificate';
  if (tls === null)
    return ok(
      check,
      production
        ? 'none: a proxy terminates TLS (TRUST_PROXY)'
        : 'for development, of an authority in DATA_DIR/tls; each start renews it before it expires',
    );
  try {
    const certificate = new X509Certificate(tls.cert);
    if (!certificate.checkPrivateKey(createPrivateKey(tls.key)))
      return fail(check, 'TLS_KEY is not the key of the certificate in TLS_CERT');
    const left = days(new Date(certificate.validTo));
    if (left < 0) return warn(check, `expired on ${certificate.validTo}: clients reject it`);
    return (left < 30 ? warn : ok)(check, `valid for ${left} days`);
  } catch (error) {
    return fail(check, `TLS_CERT or TLS_KEY cannot be used: ${describeFailure(error)}`);
  }
};

/** Checks the token keys. */
export const checkKeys = ({ jwt, dataDir, database }: Config): CheckResult => {
  const check = 'token keys';
  if (jwt.keys) return ok(check, 'from JWT_KEYS');
  const path = join(dataDir, 'keys', `${jwt.algorithm}.json`);
  if (existsSync(path)) {
    try {
      parseKeySet(readFileSync(path, 'utf8'), jwt.algorithm);
    } catch (error) {
      return fail(check, `${path} contains no usable keys: ${describeFailure(error)}`);
    }
  }
  return database.url === null
    ? ok(check, existsSync(path) ? path : `${path} is created at the first start`)
    : warn(check, `of this machine only (${path}); several instances need JWT_KEYS in common`);
};

/** Checks the version of Node.js. */
export const checkNode = (): CheckResult => {
  const version = process.versions.node;
  return Number.parseInt(version, 10) >= 24
    ? ok('Node.js', version)
    : fail('Node.js', `${version}; 24 or newer is needed`);
};
