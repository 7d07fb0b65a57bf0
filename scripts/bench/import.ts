import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/open.ts';
import { createTenant } from '../../src/domain/provision/provision.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { startNode } from './processes.ts';

const printLine = (text: string) => process.stdout.write(`${text}\n`);
const mebibytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
const port = Number(process.env.PORT ?? 18543);

/** A server in a process of its own. */
interface ImportServer {
  readonly child: ChildProcess;
  /** The growth of its resident memory since it was ready, at the most. */
  growth(): number;
}

/**
 * `npm run bench import [rows]`:
 * imports clients (200,000, or the number given) into a server that is killed half-way and started again, then renames all by another import.
 * Prints the times, the growth of the server's resident memory, and whether each client is there once.
 */
export const measureImport = async ([given = '200000']: readonly string[]): Promise<number> => {
  const rows = Number(given);
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const keys = generateKeySet('HS256');
  const dataDir = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
  const database = openDatabase({ url, dataDir: 'memory://' });
  await database.migrate();
  const wanted = { slug: 'bench', name: 'Bench', timeZone: 'UTC', modules: [], hosts: [], rateLimit: 1_000_000 };
  const tenant = await createTenant(database, wanted, 'localhost');
  const apiUser = await createApiUser(database, tenant, { name: 'bench', readOnly: false });
  const tokens = createTokens({ database, keys: parseKeySet(keys, 'HS256'), issuer: 'staffing' });
  const { token } = await tokens.issueToken(tenant, apiUser.id, 86_400);
  await database.close();

  const ask = (method: string, path: string, body?: Readable) => call(method, path, token, body);
  const environment = { PATH: process.env.PATH, DATABASE_URL: url, DATA_DIR: dataDir, JWT_KEYS: keys };
  let server = await startServer(environment);
  try {
    const begin = performance.now();
    const accepted = await ask('POST', '/clients/import', Readable.from(lines(rows)));
    const path = `/imports/${accepted.body.id}`;
    printLine(`${rows} rows accepted after ${seconds(begin)}`);
    await until(async () => (await ask('GET', path)).body.rows >= rows / 2);
    printLine(`half of them after ${seconds(begin)}; memory grew by ${mebibytes(server.growth())}`);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    server = await startServer(environment);
    const killed = performance.now();
    const { rows: written } = (await ask('GET', path)).body;
    await until(async () => (await ask('GET', path)).body.rows > written);
    printLine(`killed at ${written} rows, continued ${seconds(killed)} after the restart`);
    await until(async () => (await ask('GET', path)).body.status !== 'running');
    printLine(`done after ${seconds(begin)}; memory grew by ${mebibytes(server.growth())}`);
    const { body: found } = await ask('GET', path);
    const { headers } = await ask('GET', '/clients?limit=1&count=true');
    printLine(`${JSON.stringify(found)}; ${headers['x-total-count']} clients`);
    const again = performance.now();
    const { body: second } = await ask('POST', '/clients/import', Readable.from(lines(rows, 'renamed')));
    const renaming = `/imports/${second.id}`;
    await until(async () => ['done', 'failed'].includes((await ask('GET', renaming)).body.status));
    const { updated } = (await ask('GET', renaming)).body;
    printLine(`${updated} renamed after ${seconds(again)}`);
    return found.created === rows && updated === rows && headers['x-total-count'] === String(rows) ? 0 : 1;
  } finally {
    server.child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
};

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function* lines(rows: number, name = 'of the benchmark'): Generator<Buffer> {
  for (let row = 0; row < rows; row++)
    yield Buffer.from(
      `${JSON.stringify({
        external_id: `B-${row}`,
        company: `Client ${row} ${name}`,
        address_first: `Street ${row % 1000}`,
        zip: String(10_000 + (row % 89_999)),
        city: `Town ${row % 500}`,
      })}\n`,
    );
}

const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(500);
};

/** Starts the server and samples its memory from when it is ready, as Linux reports it. */
const startServer = async (environment: Readonly<Record<string, string | undefined>>): Promise<ImportServer> => {
  const child = startNode([new URL('../../src/main.ts', import.meta.url).pathname], {
    ...environment,
    ...{ PORT: String(port), INTERNAL_PORT: String(port + 1), LOG_LEVEL: 'warn' },
  });
  await once(child.stdout, 'data');
  const memory = (): number => {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  };
  const idle = memory();
  let most = idle;
  const timer = setInterval(() => {
    most = Math.max(most, memory());
  }, 100).unref();
  child.once('exit', () => clearInterval(timer));
  return { child, growth: () => most - idle };
};

interface ImportResponse {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: responses of several operations
  readonly body: any;
}

const call = (method: string, path: string, token: string, body?: Readable): Promise<ImportResponse> =>
  new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, path: `/api/v1${path}`, method, rejectUnauthorized: false },
      headers: {
        Host: 'bench.localhost',
        Authorization: `Bearer ${token}`,
        'Accept-Encoding': 'identity',
        ...(body && { 'Content-Type': 'application/x-ndjson' }),
      },
    })
      .on('error', reject)
      .on('response', async response => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ headers: response.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      });
    if (body) body.pipe(sent);
    else sent.end();
  });
