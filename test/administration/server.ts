import { type IncomingHttpHeaders, request } from 'node:http';
import { pino } from 'pino';
import { createAdministration } from '../../src/administration/api/administration.ts';
import type { RequestLimits } from '../../src/administration/api/limits.ts';
import type { Tenant } from '../../src/core/principal.ts';
import { modules } from '../../src/core/resource/modules.ts';
import type { Database } from '../../src/db/open.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { openInternalPort } from '../../src/http/connection/internal/internal.ts';
import { memoryCounter } from '../../src/http/request/rate-limit.ts';
import { type ActivityRecorder, startActivity } from '../../src/server/activity.ts';
import { createPerformer } from '../../src/server/api.ts';
import { issueAdministrationToken } from '../../src/tenancy/administrators.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createHostsOf } from '../../src/tenancy/tenants.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, startApp } from '../support/app.ts';

/** A response of the internal port. */
export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read response bodies of every shape
  readonly body: any;
}

/** The API and the administration API on a database. */
export interface AdministrationServer {
  readonly app: App;
  readonly port: number;
  readonly activity: ActivityRecorder;
  readonly logs: readonly string[];
  /** Creates a tenant. */
  newTenant(): Promise<Tenant>;
  /** Issues an administration token, of an operator or for a tenant. */
  issue(tenant?: Tenant | null, seconds?: number): Promise<string>;
  /** Sends a request to the internal port; the path is relative to the root of the administration API. */
  send(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response>;
  /** Sends a request with a token. */
  call(token: string, method: string, path: string, body?: unknown): Promise<Response>;
  close(): Promise<void>;
}

const root = '/administration/v1';
let count = 0;

/** Starts the API and the administration API. */
export const startAdministration = async (
  database: Database,
  limits: RequestLimits = { requests: 1_000_000, failures: 1_000_000 },
): Promise<AdministrationServer> => {
  const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
  const logs: string[] = [];
  const log = pino({ level: 'debug' }, { write: line => void logs.push(line) });
  const activity = startActivity(database, log, 3_600_000);
  const app = await startApp(database, { keys, observe: activity.observe });
  const administration = createAdministration({
    database,
    tokens: createTokens({ database, keys, issuer: 'staffing' }),
    perform: createPerformer({
      database,
      services: { files: app.files, hostsOf: createHostsOf(database, 'test'), wakeups: database.wakeups },
      rateLimit: { counter: memoryCounter(60), requests: 1, period: 60 },
      concurrency: 1,
      attempts: 1,
      log,
      limits: { body: 1_048_576, jsonDepth: 64, url: 8192 },
    }),
    baseDomain: 'test',
    log,
    ready: () => true,
    certificate: null,
    limits,
  });
  const internal = await openInternalPort({ port: 0, host: '127.0.0.1' }, {}, administration);

  const send: AdministrationServer['send'] = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const text = isRaw ? body : JSON.stringify(body);
      const json = text === undefined ? {} : { 'Content-Type': 'application/json' };
      const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
      const whole = path.startsWith('//') ? path.slice(1) : `${root}${path}`;
      const target = { host: '127.0.0.1', port: internal.port, path: whole, method, agent: false };
      request({ ...target, headers: { ...json, ...length, ...headers } })
        .on('error', reject)
        .on('response', response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk)).on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, text, body: isJson ? JSON.parse(text) : null });
          });
        })
        .end(text);
    });
  return {
    app,
    port: internal.port,
    activity,
    logs,
    newTenant: () => {
      const slug = `adm-${process.pid}-${++count}`;
      const wanted = { slug, name: slug, timeZone: 'Europe/Berlin', modules, hosts: [] };
      return createTenant(database, wanted, 'test');
    },
    issue: async (tenant = null, seconds = 3600) =>
      (await issueAdministrationToken(database, { name: 'Ada', tenant, seconds })).token,
    send,
    call: (token, method, path, body) => send(method, path, { Authorization: `Bearer ${token}` }, body),
    async close() {
      await activity.stop();
      await internal.close();
      await app.close();
    },
  };
};
