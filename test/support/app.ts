import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { columns } from '../../generated/tables.ts';
import type { Limits } from '../../src/core/call/limits.ts';
import type { Tenant } from '../../src/core/principal.ts';
import { modules } from '../../src/core/resource/modules.ts';
import type { Database } from '../../src/db/open.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { createFiles, type FileOptions, type Files } from '../../src/files/files.ts';
import { type ListenOptions, listen } from '../../src/http/connection/listen.ts';
import type { BodyLimits } from '../../src/http/operation/body.ts';
import { trustProxies } from '../../src/http/request/proxy.ts';
import { addressHeaders, memoryCounter } from '../../src/http/request/rate-limit.ts';
import type { Spools } from '../../src/http/response/spool.ts';
import { createApi } from '../../src/server/api.ts';
import type { AppDependencies } from '../../src/server/app.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { type CallerOptions, createCallers } from '../../src/tenancy/caller/callers.ts';
import { generateKeySet, type KeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createHostsOf } from '../../src/tenancy/tenants.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { contradictions } from './conformance/conformance.ts';
import { findOperation } from './conformance/find.ts';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, decompressed. */
  readonly bytes: Buffer;
  /** The decompressed body as a string. */
  readonly text: string;
  /** The parsed body, if it is JSON; otherwise null. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read response bodies of every shape
  readonly body: any;
}

export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings, bytes and streams are sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

/** A client of the API: a tenant with API users. */
export interface Client {
  readonly tenant: Tenant;
  /** The database that contains the tenant. */
  readonly database: Database;
  readonly token: string;
  /** The token of a read-only API user. */
  readonly readOnlyToken: string;
  /** Sends a request with the tenant's host and token; the path is relative to /api/v1. */
  call(method: string, path: string, asked?: Asked): Promise<ApiResponse>;
}

/** An instance of the API. */
export interface App {
  readonly files: Files;
  readonly database: Database;
  readonly port: number;
  /** Provisions a new tenant, as the command line does. */
  newClient(wanted?: {
    modules?: Tenant['modules'];
    timeZone?: string;
    rateLimit?: number;
    sandbox?: boolean;
  }): Promise<Client>;
  /** Sends a request as a client of any instance; without Authorization if the token is empty. */
  callAs(client: Pick<Client, 'tenant' | 'token'>, method: string, path: string, asked?: Asked): Promise<ApiResponse>;
  /** Issues a token for an API user. */
  tokenOf(tenant: Tenant, apiUserId: number): Promise<string>;
  /** Sends a request with these headers, whose response is not compared with the document. */
  send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<ApiResponse>;
  /** The lines that the server has logged. */
  readonly logs: readonly string[];
  close(): Promise<void>;
}

let count = 0;

export interface AppOptions {
  readonly keys?: KeySet;
  readonly spools?: Spools;
  readonly limits?: Partial<Limits & BodyLimits & { url: number }>;
  readonly files?: Partial<FileOptions>;
  readonly rateLimit?: AppDependencies['rateLimit'];
  readonly concurrency?: number;
  readonly observe?: NonNullable<AppDependencies['observe']>;
  readonly times?: ListenOptions['times'];
  /** The certificate and key of HTTPS, which a browser needs; default: plain connections only. */
  readonly tls?: ListenOptions['tls'];
  /** Replaces the system clock for tokens and for what is remembered of callers. */
  readonly clock?: () => number;
  readonly Presuming?: CallerOptions['Presuming'];
}

/** Starts the API on a loopback port, with requests that appear to come through a trusted TLS proxy. */
export const startApp = async (database: Database, more: AppOptions = {}): Promise<App> => {
  const logs: string[] = [];
  const {
    keys = parseKeySet(generateKeySet('HS256'), 'HS256'),
    limits,
    files: fileOptions,
    times = {},
    tls = null,
    clock,
    Presuming,
    ...dependencies
  } = more;
  const timed = clock ? { clock } : {};
  const rateLimit = more.rateLimit ?? { counter: memoryCounter(60), requests: 1_000_000, period: 60 };
  const tokens = createTokens({ database, keys, issuer: 'staffing', ...timed });
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  const files = await createFiles({ folder, limit: 1_048_576, s3: null, ...fileOptions });
  const api = createApi({
    database,
    services: { files, hostsOf: createHostsOf(database, 'test'), wakeups: database.wakeups },
    log: pino({ level: 'debug' }, { write: line => void logs.push(line) }),
    proxies: trustProxies(['127.0.0.1']),
    callers: createCallers({
      database,
      baseDomain: 'test',
      readToken: tokens.read,
      ...timed,
      ...(Presuming !== undefined && { Presuming }),
    }),
    rateLimit,
    limits: { body: 1_048_576, jsonDepth: 64, url: 8192, ...limits },
    concurrency: 1_000_000,
    attempts: 4,
    repeats: { bytes: 33_554_432, holds: database.holds },
    ...dependencies,
  });
  const quota = addressHeaders(rateLimit);
  const listener = await listen(api.callback(), { port: 0, host: '127.0.0.1', tls, grace: 1, times, quota });
  const agent = new Agent({ keepAlive: true });
  const close = async (): Promise<void> => {
    agent.destroy();
    await listener.close();
    rmSync(folder, { recursive: true, force: true });
  };

  const send: App['send'] = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const stream = isStream(body) ? body : null;
      const text =
        stream || body === undefined || typeof body === 'string' || body instanceof Buffer
          ? (body as string | Buffer | undefined)
          : JSON.stringify(body);
      const target = { host: '127.0.0.1', port: listener.port, path: `/api/v1${path}`, method, agent };
      const length = stream || text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
      const sent = request({ ...target, headers: { 'X-Forwarded-Proto': 'https', ...length, ...headers } })
        .on('error', reject)
        .on('response', response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk)).on('error', reject);
          response.on('end', () => resolve(responseOf(response, Buffer.concat(chunks))));
        });
      if (stream) stream.pipe(sent);
      else sent.end(text);
    });

  const callAs: App['callAs'] = async ({ tenant, token }, method, path, { headers = {}, body } = {}) => {
    const type = body === undefined ? {} : typeFor(method, path, isRaw(body));
    const known = token === '' ? {} : { Authorization: `Bearer ${token}` };
    const own = { Host: `${tenant.slug}.test`, ...known, ...type, ...headers };
    const response = await send(method, path, own, body);
    const found = contradictions(method, path, { headers: own, body }, response);
    assert.deepEqual(found, [], `${method} ${path} contradicts the document: ${response.text.slice(0, 500)}`);
    return response;
  };

  const tokenOf: App['tokenOf'] = async (tenant, apiUserId) => (await tokens.issueToken(tenant, apiUserId, 3600)).token;

  const newClient: App['newClient'] = async wanted => {
    const slug = `app-${process.pid}-${++count}`;
    const all = [...(wanted?.modules ?? modules)];
    const { timeZone = 'Europe/Berlin', rateLimit = null, sandbox = false } = wanted ?? {};
    const tenant = await createTenant(
      withIdsApart(database, count),
      { slug, name: slug, timeZone, modules: all, hosts: [], rateLimit, sandbox },
      'test',
    );
    const newToken = async (readOnly: boolean) => {
      const user = await createApiUser(database, tenant, { name: readOnly ? 'reader' : 'writer', readOnly });
      return tokenOf(tenant, user.id);
    };
    const [token, readOnlyToken] = [await newToken(false), await newToken(true)];
    const call: Client['call'] = (...asked) => callAs({ tenant, token }, ...asked);
    return { tenant, database, token, readOnlyToken, call };
  };
  return { database, files, port: listener.port, newClient, callAs, tokenOf, send, logs, close };
};

/** Returns the database with a separate range of ids for each new tenant, so that tests can distinguish tenants by their ids. */
const withIdsApart = (database: Database, place: number): Database => ({
  ...database,
  asOwner: async (tenantId, work, origin) => {
    const rows = Object.keys(columns).map(table => sql`(${tenantId}, ${table}, ${100_000 * place + 1})`);
    await database.asOwner(tenantId, ({ system }) =>
      sql`insert into id_blocks (tenant_id, "table", next) values ${sql.join(rows)} on conflict do nothing`.execute(
        system,
      ),
    );
    return database.asOwner(tenantId, work, origin);
  },
});

/** Returns the header of a body's type: JSON or, of a raw body, the first type that the operation names. */
const typeFor = (method: string, path: string, raw: boolean): Record<string, string> => {
  if (!raw) return { 'Content-Type': 'application/json' };
  const { content = {} } = findOperation(method, path.replace(/\?.*/s, ''))?.operation.requestBody ?? {};
  const [named] = Object.keys(content).filter(type => type !== 'application/json' && type !== '*/*');
  return named ? { 'Content-Type': named } : {};
};

const isStream = (body: unknown): body is Readable => body instanceof Readable;
const isRaw = (body: unknown): boolean => body instanceof Buffer || isStream(body);

const responseOf = (
  { statusCode = 0, headers }: { statusCode?: number | undefined; headers: IncomingHttpHeaders },
  sent: Buffer,
): ApiResponse => {
  const bytes = headers['content-encoding'] === 'gzip' && sent.length > 0 ? gunzipSync(sent) : sent;
  const isJson = headers['content-type']?.startsWith('application/json') && bytes.length > 0;
  // Made when they are first read: many tests read only one of them, or none.
  const known: { text?: string; body?: unknown } = {};
  return {
    status: statusCode,
    headers,
    bytes,
    get text() {
      known.text ??= bytes.toString();
      return known.text;
    },
    get body() {
      known.body ??= isJson ? JSON.parse(this.text) : null;
      return known.body;
    },
  };
};
