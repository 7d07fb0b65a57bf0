import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodeFlags from '../../scripts/bin/node-flags.cjs';
import { openDatabase } from '../../src/db/open.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { type ApiResponse, type App, type Client, startApp } from './app.ts';
import { childEnvironment } from './child-environment.ts';
import { inMemory, migratedUrl } from './database.ts';
import { startProxy } from './proxies/proxy.ts';

/** A process of the service. */
export interface Instance {
  readonly child: ChildProcess;
  readonly port: number;
  readonly internalPort: number;
  /** Log lines until now. */
  readonly log: () => readonly {
    readonly pid: number;
    readonly msg: string;
    readonly worker?: number;
    readonly operation?: string;
  }[];
}

/** Several instances behind a proxy that has each connection go to the next of them. */
export interface Balanced {
  readonly instances: readonly Instance[];
  /** The port of the proxy. */
  readonly port: number;
}

/** An installation of the service, on a migrated database of its own: processes start and end, and its tenants stay. */
export interface Installation {
  readonly url: string;
  /** An instance in the process of the tests, which makes tenants. */
  readonly app: App;
  /** Starts a process and waits until it listens. */
  start(overrides?: Readonly<Record<string, string>>): Promise<Instance>;
  startBalanced(count: number, overrides?: Readonly<Record<string, string>>): Promise<Balanced>;
  /** Ends all that is left. */
  close(): Promise<void>;
}

/** Opens an installation. @param variables of all its processes */
export const openInstallation = async (variables: Readonly<Record<string, string>> = {}): Promise<Installation> => {
  const folder = mkdtempSync(join(tmpdir(), 'installation-'));
  const keys = generateKeySet('HS256');
  const url = await migratedUrl();
  const environment = {
    ...{ ...childEnvironment, DATA_DIR: folder, DATABASE_URL: url, JWT_KEYS: keys, BASE_DOMAIN: 'test' },
    ...{ HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' },
    ...variables,
  };
  const database = openDatabase({ ...inMemory, url });
  const app = await startApp(database, { keys: parseKeySet(keys, 'HS256') });
  const started = new Set<ChildProcess>();
  const closing: (() => Promise<void>)[] = [];

  const start: Installation['start'] = async (overrides = {}) => {
    const child = spawn(process.execPath, [...nodeFlags, 'src/main.ts'], { env: { ...environment, ...overrides } });
    started.add(child);
    let logged = '';
    child.stderr.on('data', chunk => {
      logged += chunk;
    });
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      const [, port, internalPort] = /localhost:(\d+)\/.*localhost:(\d+)\/livez/s.exec(printed) ?? [];
      if (!port) continue;
      const log = () =>
        logged
          .split('\n')
          .filter(Boolean)
          .map(line => JSON.parse(line));
      return { child, port: Number(port), internalPort: Number(internalPort), log };
    }
    throw new Error(`The server ended: ${printed}${logged}`);
  };

  return {
    url,
    app,
    start,
    async startBalanced(count, overrides) {
      const instances = await Promise.all(Array.from({ length: count }, () => start(overrides)));
      const proxy = await startProxy(
        instances.map(({ port }) => `http://127.0.0.1:${port}`),
        (client, upstream) => {
          client.pipe(upstream);
          upstream.pipe(client);
        },
      );
      closing.push(proxy.close);
      return { instances, port: Number(new URL(proxy.url).port) };
    },
    async close() {
      for (const child of started) child.kill('SIGKILL');
      for (const close of closing) await close();
      await app.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

/** Ends a process as an orchestrator does. @returns its exit status */
export const endInstance = async ({ child }: Instance): Promise<number | null> => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return (await ended)[0];
};

/** A response to `ask`. */
export type Reply = Omit<ApiResponse, 'bytes'>;

/** Sends a request on a connection of its own. @param path relative to the API */
export const ask = (
  port: number,
  { tenant, token }: Pick<Client, 'tenant' | 'token'>,
  method = 'GET',
  path = '/clients',
  body?: object | Buffer,
  type = body instanceof Buffer ? 'application/octet-stream' : 'application/json',
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = {
      Host: `${tenant.slug}.test`,
      Authorization: `Bearer ${token}`,
      'X-Forwarded-Proto': 'https',
      'Accept-Encoding': 'identity',
      ...(body && { 'Content-Type': type }),
    };
    request({ host: '127.0.0.1', port, path: `/api/v1${path}`, method, agent: false, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      const { statusCode: status = 0, headers } = response;
      const isJson = headers['content-type']?.startsWith('application/json');
      response
        .once('end', () => resolve({ status, headers, text, body: isJson && text ? JSON.parse(text) : null }))
        .once('error', reject);
    })
      .once('error', reject)
      .end(body instanceof Buffer ? body : body && JSON.stringify(body));
  });
