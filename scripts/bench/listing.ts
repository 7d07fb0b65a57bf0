import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import nodeFlags from '../bin/node-flags.cjs';
import { forgetPeak, memoryOf, startNode } from './processes.ts';

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
const rise = (from: number, to: number): string => `+${Math.max(0, to - from).toFixed(0)} MiB`;
const identity = { 'Accept-Encoding': 'identity' };

/** What is asked for; the first is repeated at the end. */
const cases: readonly [what: string, path: string, headers?: Readonly<Record<string, string>>][] = [
  ['JSON, gzip', '/assignments'],
  ['JSON', '/assignments', identity],
  ['XML, gzip', '/assignments.xml'],
  ['XML', '/assignments.xml', identity],
  ['CSV, gzip', '/assignments.csv'],
  ['CSV', '/assignments.csv', identity],
  ['JSON lines, gzip', '/assignments.ndjson'],
  ['JSON lines', '/assignments.ndjson', identity],
  ['three fields, envelope', '/assignments?fields=id,status,event.name&envelope=true'],
  ['embedded employees', '/assignments?fields=id&embed=employee'],
  ['JSON, gzip, again', '/assignments'],
];

/**
 * `npm run bench listing -- [rows]`:
 * complete listings of 200,000 assignments (or the number given) in each format: time, bytes, and how far the server's resident memory is at most above
 * what it was before, and before the first, after 50 short listings. The server is a process of its own, on a temporary Postgres server or the one at
 * DATABASE_URL, whose demo tenant has to be without data.
 * @returns the exit status: 1 if a listing failed
 */
export const reportListings = async ([given = '200000']: readonly string[], print = console.log): Promise<number> => {
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const keys = generateKeySet('HS256');
  const token = await fill(url, keys, Number(given));
  const dataDir = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
  const port = Number(process.env.PORT ?? 18443);
  const server = startNode([...nodeFlags, new URL('../../src/main.ts', import.meta.url).pathname], {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    JWT_KEYS: keys,
    PORT: String(port),
    INTERNAL_PORT: String(port + 1),
    LOG_LEVEL: 'warn',
    AUTOMATIONS: 'false',
  });
  const pid = server.pid as number;
  const get = (path: string, headers = {}): Promise<ReceivedListing> => receive(port, token, path, headers);
  let failed = false;
  try {
    await once(server.stdout, 'data');
    for (let index = 0; index < 50; index++) await get('/assignments?limit=100');
    const before = memoryOf(pid).now;
    print(`${given} assignments; resident memory before: ${before.toFixed(0)} MiB`);
    for (const [what, path, headers] of cases) {
      const own = memoryOf(pid).now;
      forgetPeak(pid);
      const started = performance.now();
      const { status, bytes, first } = await get(path, headers);
      const time = performance.now() - started;
      const { peak } = memoryOf(pid);
      failed ||= status !== 200;
      print(
        `${what}: ${status}, ${(bytes / 1_048_576).toFixed(0)} MiB, first byte ${seconds(first)}, all ${seconds(time)}, at most ${rise(own, peak)}, with those before ${rise(before, peak)}`,
      );
    }
  } finally {
    server.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
  return failed ? 1 : 0;
};

/** Fills the demo tenant and returns a token for it. */
const fill = async (url: string, keys: string, size: number): Promise<string> => {
  const database = openDatabase({ url, dataDir: 'memory://' });
  await database.migrate();
  const { tenant, apiUser } = await fillDemo(database, { size, baseDomain: 'localhost' });
  await database.analyze();
  const tokens = createTokens({ database, keys: parseKeySet(keys, 'HS256'), issuer: 'staffing' });
  const { token } = await tokens.issueToken(tenant, apiUser.id, 3600);
  await database.close();
  return token;
};

/** A response: its bytes as they came, and after how many milliseconds it began. */
interface ReceivedListing {
  readonly status: number;
  readonly bytes: number;
  readonly first: number;
}

const receive = (port: number, token: string, path: string, headers: object): Promise<ReceivedListing> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const all = { Host: 'localhost', Authorization: `Bearer ${token}`, ...headers };
    request({ host: '127.0.0.1', port, path: `/api/v1${path}`, rejectUnauthorized: false, headers: all })
      .on('error', reject)
      .on('response', response => {
        const first = performance.now() - started;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, first }));
      })
      .end();
  });
