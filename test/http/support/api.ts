import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import type { Call } from '../../../src/core/call/call.ts';
import type { Reply } from '../../../src/core/call/reply.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Principal, Tenant } from '../../../src/core/principal.ts';
import { unrestricted } from '../../../src/core/resource/access.ts';
import { Cells } from '../../../src/core/resource/cells.ts';
import type { Module, Resource } from '../../../src/core/resource/resource.ts';
import type { TenantDb } from '../../../src/db/database.ts';
import { createFiles } from '../../../src/files/files.ts';
import { type ListenOptions, listen } from '../../../src/http/connection/listen.ts';
import type { ApiDocument } from '../../../src/http/operation/operation.ts';
import { trustProxies } from '../../../src/http/request/proxy.ts';
import { addressHeaders, memoryCounter } from '../../../src/http/request/rate-limit.ts';
import { type AppDependencies, createApp } from '../../../src/server/app.ts';
import type { Callers, Identity } from '../../../src/tenancy/caller/callers.ts';
import { document } from './document.ts';

export const demo: Tenant = {
  id: 1,
  slug: 'demo',
  name: 'Demo',
  timeZone: 'Europe/Berlin',
  modules: new Set<Module>(),
  rateLimit: null,
  sandbox: false,
  clockAhead: 0,
};
const other: Tenant = { ...demo, id: 2, slug: 'other', modules: new Set<Module>(['payroll']), rateLimit: 3 };

const tenants: Readonly<Record<string, Tenant>> = { 'demo.test': demo, localhost: demo, 'other.test': other };

const writer: Principal['apiUser'] = { id: 7, name: 'Good', readOnly: false, ...unrestricted };
/** By token: `good` and `better` are of the same user. */
const users: Readonly<Record<string, Principal['apiUser']>> = {
  good: writer,
  better: writer,
  reader: { id: 8, name: 'Reader', readOnly: true, ...unrestricted },
};

const resource = (name: string, module: Module | null): Resource => ({
  name,
  singular: name.slice(0, -1),
  table: name,
  source: name,
  key: 'id',
  module,
  dynamic: null,
  inactive: null,
  keepsDeleted: false,
  ruled: false,
  fields: [],
  relations: [],
  aliases: [],
});

/** Two clients, as the database would give them. */
export const rows: Reply = {
  status: 200,
  headers: {},
  body: {
    kind: 'rows',
    representation: {
      plural: 'clients',
      singular: 'client',
      many: true,
      members: [
        { name: 'id', type: 'integer' },
        { name: 'event.name', type: 'text' },
      ],
      records: [Cells.of('1', '</script>\u2028'), Cells.of('2', null)],
    },
  },
};

/** A database that nothing is in. */
const emptyDatabase = (tenant: Tenant): TenantDb => {
  const same = { proving: () => db, as: () => db };
  const db = { tenant, read: async () => [], ...same } as unknown as TenantDb;
  return db;
};

const none: Reply = { status: 204, headers: {}, body: null };

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. */
  readonly text: string;
}

export interface Options {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Plain HTTP instead of HTTPS. */
  readonly plain?: boolean;
  /** Null: no token. */
  readonly token?: string | null;
}

const certificate = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', curve: 'P-256' });

const identityOf = (host: string, token: string | null): Identity => {
  const tenant = Object.hasOwn(tenants, host) ? tenants[host] : undefined;
  if (!tenant) throw new ApiError('tenant_not_found');
  return {
    tenant,
    authenticate() {
      if (token === null) throw new ApiError('missing_token');
      const apiUser = users[token];
      if (!apiUser) throw new ApiError('invalid_token');
      return { tenant, apiUser, tokenId: token };
    },
    again: async () => identityOf(host, token),
    confirmation: undefined,
  };
};

const fakeCallers: Callers = { serve: async ({ host, token }, _, work) => work(identityOf(host, token)) };

/** The API on a port of its own, over fakes instead of tenants, tokens and the engine; `respond` is what the engine does. */
export const startApi = async (
  overrides: Partial<AppDependencies> & {
    respond?: (call: Call) => Reply | Promise<Reply>;
    grace?: number;
    times?: ListenOptions['times'];
  } = {},
) => {
  const calls: Call[] = [];
  const logs: Record<string, unknown>[] = [];
  const respond = overrides.respond ?? (({ operation }: Call) => (operation.endsWith('_delete') ? none : rows));
  const serve = async (call: Call): Promise<Reply> => {
    calls.push(call);
    return respond(call);
  };
  const verb = () => serve;
  const rateLimit = overrides.rateLimit ?? { counter: memoryCounter(60), requests: 100_000, period: 60 };
  const app = createApp({
    log: pino({ level: 'debug' }, { write: line => void logs.push(JSON.parse(line)) }),
    proxies: trustProxies([]),
    callers: fakeCallers,
    rateLimit,
    document: document as unknown as ApiDocument,
    resources: { clients: resource('clients', null), paysheets: resource('paysheets', 'payroll') },
    verbs: { list: verb, read: verb, create: verb, update: verb, upsert: verb, delete: verb, import: verb },
    actions: { clients_setTime: serve, clients_apply: serve, clients_setStatus: serve },
    services: {
      files: await createFiles({ folder: tmpdir(), limit: 1024, s3: null }),
      hostsOf: async () => [],
      moveClock: async () => true,
      wakeups: {
        waitForConflicts: async () => false,
        wait: async () => false,
        share: (_key, _signal, read) => read(),
        stopped: false,
      },
      instance: {
        apiVersion: '1',
        serviceVersion: '1',
        limits: { requests: 100_000, period: 60, concurrency: 1_000_000, body: 1_048_576, json_depth: 64, url: 8192 },
      },
    },
    databaseOf: emptyDatabase,
    limits: { body: 1_048_576, jsonDepth: 64, url: 8192 },
    concurrency: 1_000_000,
    ...overrides,
  });
  const listener = await listen(app.callback(), {
    port: 0,
    host: '127.0.0.1',
    tls: { cert: certificate.cert, key: certificate.private },
    grace: overrides.grace ?? 5,
    quota: addressHeaders(rateLimit),
    ...(overrides.times && { times: overrides.times }),
  });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  /** One request, to demo.test and with the token of a user who may write unless told otherwise. */
  const call = (path: string, options: Options = {}): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      const { token = 'good', plain = false, body } = options;
      const headers = {
        Host: 'demo.test',
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(body)),
        }),
        ...options.headers,
      };
      const target = { host: '127.0.0.1', port: listener.port, path, method: options.method ?? 'GET', headers };
      const send = plain ? httpRequest(target) : httpsRequest({ ...target, agent });
      send.on('error', reject).on('response', response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          const raw = Buffer.concat(chunks);
          const zipped = response.headers['content-encoding'] === 'gzip' && raw.length > 0;
          const text = (zipped ? gunzipSync(raw) : raw).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      send.end(body);
    });

  /** Sends bytes as they are, and resolves with all that comes back until the server closes. */
  const raw = (text: string | Buffer, { plain = false } = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const target = { host: '127.0.0.1', port: listener.port };
      const socket = plain ? connect(target) : connectTls({ ...target, rejectUnauthorized: false });
      const chunks: Buffer[] = [];
      socket.on('data', chunk => chunks.push(chunk)).on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      socket.write(text);
    });

  const close = async (): Promise<void> => {
    agent.destroy();
    await listener.close();
  };
  return { call, raw, close, calls, logs, port: listener.port, listener, agent };
};

export type Api = Awaited<ReturnType<typeof startApi>>;

/** The `code` of a response's error. */
export const codeOf = ({ text }: HttpResponse): unknown => JSON.parse(text).code;
