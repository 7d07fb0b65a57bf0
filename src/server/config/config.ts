import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { Algorithm } from '../../tenancy/keys.ts';
import { Problems } from './problems.ts';
import { readKeys, readNetworks, readS3, readTls } from './readers.ts';
import { type ConfigValues, type Environment, readEnvironment, readValues } from './values.ts';
import type { VariableName } from './variables.ts';

export { ConfigError } from './problems.ts';

/** The validated, frozen configuration from the environment; `variables/` describes its values. */
export type Config = ReturnType<typeof configOf>;

const isUrl = (text: unknown): boolean => URL.canParse(String(text));

/** Checks that involve several variables, or URLs. */
const checkTogether = (values: ConfigValues, production: boolean, problems: Problems): void => {
  for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL'] as const) {
    if (values[name] !== undefined && !isUrl(values[name])) problems.addInvalid(name, '');
  }
  if (values.MIGRATION_DATABASE_URL !== undefined && values.DATABASE_URL === undefined)
    problems.add('MIGRATION_DATABASE_URL', 'is set without DATABASE_URL; for the embedded database set neither');
  if (values.DATABASE_URL === undefined && Number(values.WORKERS) > 1)
    problems.add('WORKERS', 'must be 1 or auto without DATABASE_URL: only one process can use the embedded database');
  if (values.PORT === values.INTERNAL_PORT && values.PORT !== 0)
    problems.add('INTERNAL_PORT', `must differ from PORT (${values.PORT}); for example 9443`);
  if (!isLoopback(values.INTERNAL_HOST) && values.TLS_CERT === undefined)
    problems.add(
      'INTERNAL_HOST',
      'is not an address of this machine alone, which needs TLS for the administration: set TLS_CERT and TLS_KEY, or use 127.0.0.1',
    );
  if (production && values.TLS_CERT === undefined && values.TLS_KEY === undefined && values.TRUST_PROXY === undefined)
    problems.add(
      'TLS_CERT',
      'is required with NODE_ENV=production, unless a proxy terminates TLS (TRUST_PROXY); for example /etc/staffing/tls/fullchain.pem',
    );
  if (production && values.DATABASE_URL === undefined && !isOn(values.ALLOW_EMBEDDED))
    problems.add(
      'DATABASE_URL',
      'is required with NODE_ENV=production (ALLOW_EMBEDDED=true overrides); for example postgres://staffing:secret@db.example:5432/staffing',
    );
};

const workersOf = ({ WORKERS: workers, DATABASE_URL: url }: ConfigValues): number => {
  if (workers !== 'auto') return Number(workers);
  return url === undefined ? 1 : availableParallelism();
};

const isLoopback = (host: unknown): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(String(host));

const isOn = (value: unknown): boolean => value === 'true' || value === '1';

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));

const freeze = <T extends object>(value: T): T => {
  for (const member of Object.values(value)) {
    if (isPlain(member)) freeze(member);
  }
  return Object.freeze(value);
};

const configOf = (values: ConfigValues, production: boolean, problems: Problems) => {
  const optional = (name: VariableName) => (values[name] === undefined ? null : String(values[name]));
  const algorithm = String(values.JWT_ALGORITHM) as Algorithm;
  const tls = readTls(values, problems);
  return {
    /** Undefined: all network interfaces. */
    host: optional('HOST') ?? undefined,
    port: Number(values.PORT),
    internalHost: String(values.INTERNAL_HOST),
    internalPort: Number(values.INTERNAL_PORT),
    /** Number of processes that serve the API; 1: the server itself does. */
    workers: workersOf(values),
    /** PEM strings; null: the internal port is that of this machine, and serves plain HTTP only. */
    internalTls: isLoopback(values.INTERNAL_HOST) ? null : tls,
    production,
    database: {
      /** Null: the embedded database. */
      url: optional('DATABASE_URL'),
      migrationUrl: optional('MIGRATION_DATABASE_URL'),
      migrate: isOn(values.DATABASE_MIGRATE),
      poolSize: Number(values.DATABASE_POOL),
      prepared: isOn(values.DATABASE_PREPARED),
      statementTimeoutMs: Number(values.STATEMENT_TIMEOUT),
    },
    /** Days for which entries of the journal are kept. */
    changesRetention: Number(values.CHANGES_RETENTION),
    /** Absolute path. */
    dataDir: resolve(String(values.DATA_DIR)),
    baseDomain: String(values.BASE_DOMAIN),
    /** Null: a certificate of the development authority; in production, a proxy terminates TLS. */
    tls,
    trustProxy: readNetworks('TRUST_PROXY', values, problems),
    /** `keys` null: the key under the data folder. */
    jwt: { algorithm, issuer: String(values.JWT_ISSUER), keys: readKeys(values.JWT_KEYS, algorithm, problems) },
    /** Requests per period (seconds), unless the tenant has a limit of its own. */
    rateLimit: { requests: Number(values.RATE_LIMIT), period: Number(values.RATE_LIMIT_PERIOD) },
    /** Requests of an API user in progress at once. */
    concurrency: Number(values.CONCURRENCY_LIMIT),
    /** Null: requests are counted in memory. */
    redisUrl: optional('REDIS_URL'),
    /** Maximum number and total bytes of temporary files for listings. */
    spool: { files: Number(values.SPOOL_FILES), bytes: Number(values.SPOOL_BYTES) },
    /** Bytes. */
    readCache: Number(values.READ_CACHE) * 1_048_576,
    formats: { defuseCsv: isOn(values.CSV_DEFUSE) },
    limits: limitsOf(values),
    files: {
      /** Absolute path of the folder of temporary files and, without `s3`, of stored contents. */
      folder: resolve(optional('FILE_DIR') ?? join(String(values.DATA_DIR), 'files')),
      limit: Number(values.FILE_LIMIT),
      /** Null: the local disk. */
      s3: readS3(values, problems),
    },
    /** Whether this process finds conflicts, and processes imports. */
    conflicts: isOn(values.CONFLICTS),
    imports: isOn(values.IMPORTS),
    automations: {
      /** Whether this process runs automations. */
      run: isOn(values.AUTOMATIONS),
      attempts: Number(values.WEBHOOK_ATTEMPTS),
      webhooks: {
        /** Milliseconds. */
        timeout: Number(values.WEBHOOK_TIMEOUT) * 1000,
        networks: readNetworks('WEBHOOK_NETWORKS', values, problems),
        http: isOn(values.WEBHOOK_HTTP),
      },
      concurrency: {
        process: Number(values.DELIVERY_LIMIT),
        tenant: Number(values.DELIVERY_TENANT_LIMIT),
        target: Number(values.DELIVERY_HOST_LIMIT),
      },
    },
    /** Seconds. */
    shutdown: { delay: Number(values.SHUTDOWN_DELAY), timeout: Number(values.SHUTDOWN_TIMEOUT) },
    logLevel: String(values.LOG_LEVEL),
  } as const;
};

const limitsOf = (values: ConfigValues) =>
  ({
    body: Number(values.BODY_LIMIT),
    imports: Number(values.IMPORT_LIMIT),
    jsonDepth: Number(values.JSON_DEPTH_LIMIT),
    /** Milliseconds. */
    bodyTimeout: Number(values.BODY_TIMEOUT) * 1000,
    url: Number(values.URL_LIMIT),
    filters: Number(values.FILTER_LIMIT),
    filterValues: Number(values.FILTER_VALUE_LIMIT),
    filterBytes: Number(values.FILTER_BYTES_LIMIT),
    sortFields: Number(values.SORT_LIMIT),
    embeds: Number(values.EMBED_LIMIT),
    embedRows: Number(values.EMBED_ROWS),
  }) as const;

/**
 * Reads the configuration; resolves relative paths against the working directory.
 * @throws ConfigError with all invalid variables
 */
export const readConfig = (environment: Environment = process.env): Config => {
  const problems = new Problems();
  const values = readValues(readEnvironment(environment, problems), problems);
  const production = environment.NODE_ENV === 'production';
  checkTogether(values, production, problems);
  const config = configOf(values, production, problems);
  problems.throwIfAny();
  return freeze(config);
};
