import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { run } from '../../src/cli/run.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { reportJournal } from './journal.ts';
import { reportSlowest } from './slowest/report.ts';

if (process.argv[2] === 'slowest') process.exit(await reportSlowest(process.argv.slice(3)));
if (process.argv[2] === 'journal') process.exit(await reportJournal());

/**
 * `npm run bench [path…]`: requests per second of the API over HTTPS, on a temporary Postgres server with the large demo
 * (200,000 assignments). Without paths it measures those below. Compare figures only within one run. `npm run bench slowest` instead walks
 * every filter, sort and embed of every listing: see slowest/report.ts; `npm run bench journal` measures writes: see journal.ts.
 */
const paths = [
  '/assignments/today',
  '/assignments/open?limit=50',
  '/assignments?status=6&sort=-event.start&limit=50',
  '/assignments?limit=50&fields=id,status',
  '/assignments/100000',
  '/events?embed=project.name,client.company&limit=50',
  '/clients?company=~hotel&sort=company&limit=50',
];

const freePort = (): Promise<number> =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Runs a command of the command line and returns the last line of its output. */
const staffing = async (environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => {
  const lines: string[] = [];
  const status = await run(args, { environment, out: line => lines.push(line), note: () => {} });
  if (status !== 0) throw new Error(`staffing ${args.join(' ')} failed: ${lines.join('\n')}`);
  return lines.at(-1) ?? '';
};

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`;

const dataDir = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
const [port, internalPort] = [await freePort(), await freePort()];
const environment = {
  ...process.env,
  DATABASE_URL: await startPostgres(),
  DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  PORT: String(port),
  INTERNAL_PORT: String(internalPort),
  RATE_LIMIT: '1000000000',
  LOG_LEVEL: 'warn',
};

const filling = performance.now();
await staffing(environment, 'migrate');
await staffing(environment, 'demo', '--size', 'large');
console.log(`large demo written in ${seconds(filling)}`);
const token = await staffing(environment, 'token', 'issue', 'demo', 'demo');

const starting = performance.now();
const server = spawn(process.execPath, ['src/main.ts'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise(resolve => server.stdout.once('data', resolve));
console.log(`server up in ${seconds(starting)}`);

const asked = process.argv.slice(2);
for (const path of asked.length > 0 ? asked : paths) {
  const measure = (duration: number) =>
    autocannon({
      url: `https://127.0.0.1:${port}/api/v1${path}`,
      headers: { host: 'localhost', authorization: `Bearer ${token}` },
      connections: 10,
      duration,
    });
  await measure(3);
  const { requests, latency, non2xx, errors } = await measure(8);
  const failures = non2xx + errors > 0 ? `, ${non2xx + errors} FAILED` : '';
  console.log(
    `${path}: ${Math.round(requests.average)} requests/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms${failures}`,
  );
}
server.kill('SIGTERM');
await new Promise(resolve => server.once('exit', resolve));
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);
