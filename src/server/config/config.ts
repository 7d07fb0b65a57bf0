import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { Limits } from '../../core/call/limits.ts';
import type { S3Options } from '../../files/s3-store.ts';
import type { Algorithm, KeySet } from '../../tenancy/keys.ts';
import { Problems } from './problems.ts';
import { readKeys, readNetworks, readS3, readTls, type TlsFiles } from './readers.ts';
import { type ConfigValues, type Environment, readEnvironment, readValues } from './values.ts';
import type { VariableName } from './variables.ts';

export { ConfigError } from './problems.ts';

/** The validated, frozen configuration from the environment. */
export interface Config {
  /** Undefined: all network interfaces. */
  readonly host: string | undefined;
  readonly port: number;
  readonly internalHost: string;
  readonly internalPort: number;
  /** Number of processes that serve the API; 1: the server itself does. */
  readonly workers: number;
  /** PEM strings; null: the internal port is that of this machine, and serves plain HTTP only. */
  readonly internalTls: { readonly cert: string; readonly key: string } | null;
  readonly production: boolean;
  readonly database: {
    /** Null: the embedded database. */
    readonly url: string | null;
    readonly migrationUrl: string | null;
    readonly migrate: boolean;
    readonly poolSize: number;
    readonly prepared: boolean;
    readonly statementTimeoutMs: number;
  };
  /** Absolute path. */
  readonly dataDir: string;
  readonly baseDomain: string;
  /** Null: a certificate of the development authority; in production, a proxy terminates TLS. */
  readonly tls: TlsFiles | null;
  /** IP addresses and networks (address/prefix). */
  readonly trustProxy: readonly string[];
  readonly jwt: {
    readonly algorithm: Algorithm;
    readonly issuer: string;
    /** Null: the key under the data folder. */
    readonly keys: KeySet | null;
  };
  /** Requests per period (seconds), unless the tenant has a limit of its own. */
  readonly rateLimit: { readonly requests: number; readonly period: number };
  /** Days for which entries of the journal are kept. */
  readonly changesRetention: number;
  /** Requests of an API user in progress at once. */
  readonly concurrency: number;
  /** Null: requests are counted in memory. */
  readonly redisUrl: string | null;
  /** Maximum number and total bytes of temporary files for listings. */
  readonly spool: { readonly files: number; readonly bytes: number };
  /** Maximum bytes of responses that are kept for repetitions of their requests; 0: none is. */
  readonly readCache: number;
  readonly formats: {
    /** Whether to escape CSV cells that a spreadsheet would interpret as formulas. */
    readonly defuseCsv: boolean;
  };
  readonly limits: Limits & {
    /** Bytes of a body after decompression. */
    readonly body: number;
    /** Bytes of an import after decompression. */
    readonly imports: number;
    readonly jsonDepth: number;
    /** Milliseconds in which a body has to arrive. */
    readonly bodyTimeout: number;
    /** Maximum length of a request URL in bytes. */
    readonly url: number;
  };
  readonly files: {
    /** Absolute path of the folder of temporary files and, without `s3`, of stored contents. */
    readonly folder: string;
    /** Maximum size of a file in bytes. */
    readonly limit: number;
    /** Null: the local disk. */
    readonly s3: S3Options | null;
  };
  /** Whether this process finds conflicts. */
  readonly conflicts: boolean;
  /** Whether this process processes imports. */
  readonly imports: boolean;
  readonly automations: {
    /** Whether this process runs automations. */
    readonly run: boolean;
    /** Maximum number of attempts of a webhook. */
    readonly attempts: number;
    readonly webhooks: {
      /** Milliseconds. */
      readonly timeout: number;
      /** Allowed networks that are not public. */
      readonly networks: readonly string[];
      /** Whether plain HTTP is allowed. */
      readonly http: boolean;
    };
    /** Maximum numbers of deliveries at once: by this process, for a tenant and to a host. */
    readonly concurrency: { readonly process: number; readonly tenant: number; readonly target: number };
  };
  /** Seconds. */
  readonly shutdown: { readonly delay: number; readonly timeout: number };
  readonly logLevel: string;
}

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

const limitsOf = (values: ConfigValues): Config['limits'] => ({
  body: Number(values.BODY_LIMIT),
  imports: Number(values.IMPORT_LIMIT),
  jsonDepth: Number(values.JSON_DEPTH_LIMIT),
  bodyTimeout: Number(values.BODY_TIMEOUT) * 1000,
  url: Number(values.URL_LIMIT),
  filters: Number(values.FILTER_LIMIT),
  filterValues: Number(values.FILTER_VALUE_LIMIT),
  filterBytes: Number(values.FILTER_BYTES_LIMIT),
  sortFields: Number(values.SORT_LIMIT),
  embeds: Number(values.EMBED_LIMIT),
  embedRows: Number(values.EMBED_ROWS),
});

const automationsOf = (values: ConfigValues, problems: Problems): Config['automations'] => ({
  run: isOn(values.AUTOMATIONS),
  attempts: Number(values.WEBHOOK_ATTEMPTS),
  webhooks: {
    timeout: Number(values.WEBHOOK_TIMEOUT) * 1000,
    networks: readNetworks('WEBHOOK_NETWORKS', values, problems),
    http: isOn(values.WEBHOOK_HTTP),
  },
  concurrency: {
    process: Number(values.DELIVERY_LIMIT),
    tenant: Number(values.DELIVERY_TENANT_LIMIT),
    target: Number(values.DELIVERY_HOST_LIMIT),
  },
});

/**
 * Reads the configuration; resolves relative paths against the working directory.
 * @throws ConfigError with all invalid variables
 */
export const readConfig = (environment: Environment = process.env): Config => {
  const problems = new Problems();
  const values = readValues(readEnvironment(environment, problems), problems);
  const production = environment.NODE_ENV === 'production';
  const optional = (name: VariableName) => (values[name] === undefined ? null : String(values[name]));
  const algorithm = String(values.JWT_ALGORITHM) as Algorithm;
  checkTogether(values, production, problems);
  const tls = readTls(values, problems);
  const config: Config = {
    host: optional('HOST') ?? undefined,
    port: Number(values.PORT),
    internalHost: String(values.INTERNAL_HOST),
    internalPort: Number(values.INTERNAL_PORT),
    workers: workersOf(values),
    internalTls: isLoopback(values.INTERNAL_HOST) ? null : tls,
    production,
    database: {
      url: optional('DATABASE_URL'),
      migrationUrl: optional('MIGRATION_DATABASE_URL'),
      migrate: isOn(values.DATABASE_MIGRATE),
      poolSize: Number(values.DATABASE_POOL),
      prepared: isOn(values.DATABASE_PREPARED),
      statementTimeoutMs: Number(values.STATEMENT_TIMEOUT),
    },
    changesRetention: Number(values.CHANGES_RETENTION),
    dataDir: resolve(String(values.DATA_DIR)),
    baseDomain: String(values.BASE_DOMAIN),
    tls,
    trustProxy: readNetworks('TRUST_PROXY', values, problems),
    jwt: { algorithm, issuer: String(values.JWT_ISSUER), keys: readKeys(values.JWT_KEYS, algorithm, problems) },
    rateLimit: { requests: Number(values.RATE_LIMIT), period: Number(values.RATE_LIMIT_PERIOD) },
    concurrency: Number(values.CONCURRENCY_LIMIT),
    redisUrl: optional('REDIS_URL'),
    spool: { files: Number(values.SPOOL_FILES), bytes: Number(values.SPOOL_BYTES) },
    readCache: Number(values.READ_CACHE) * 1_048_576,
    formats: { defuseCsv: isOn(values.CSV_DEFUSE) },
    limits: limitsOf(values),
    files: {
      folder: resolve(optional('FILE_DIR') ?? join(String(values.DATA_DIR), 'files')),
      limit: Number(values.FILE_LIMIT),
      s3: readS3(values, problems),
    },
    conflicts: isOn(values.CONFLICTS),
    imports: isOn(values.IMPORTS),
    automations: automationsOf(values, problems),
    shutdown: { delay: Number(values.SHUTDOWN_DELAY), timeout: Number(values.SHUTDOWN_TIMEOUT) },
    logLevel: String(values.LOG_LEVEL),
  };
  problems.throwIfAny();
  return freeze(config);
};
