import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/db/open.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';

/**
 * Measures a complete listing of assignments (one million, or the number given as argument): time, bytes, and the growth of the
 * server's resident memory. The server runs as a separate process on a temporary Postgres server or the one at DATABASE_URL.
 */
const rows = Number(process.argv[2] ?? 1_000_000);
const side = Math.ceil(Math.sqrt(rows));
const printLine = (text: string) => process.stdout.write(`${text}\n`);
const mebibytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;

const url = process.env.DATABASE_URL ?? (await startPostgres());
const keys = generateKeySet('HS256');
const database = openDatabase({ url, dataDir: 'memory://' });
await database.migrate();
const { tenant, apiUser } = await fillDemo(database, { size: 'small', baseDomain: 'localhost' });
const statements = [
  `insert into employees (tenant_id, id, firstname, lastname, status)
   select $1, 1000000 + n, 'First ' || n, 'Last ' || n, 4 from generate_series(1, ${side}) n`,
  `insert into event_functions (tenant_id, id, event_id, function_id, shift_name, quantity)
   select $1, 1000000 + n, (select min(id) from events where tenant_id = $1), (select min(id) from functions where tenant_id = $1), 'bench', 5
   from generate_series(1, ${side}) n`,
  `insert into assignments (tenant_id, id, employee_id, event_function_id, status, remarks)
   select $1, 1000000 + row_number() over (), e.id, f.id, 1, 'Assignment of the benchmark'
   from (select id from employees where tenant_id = $1 and lastname like 'Last %') e,
     (select id from event_functions where tenant_id = $1 and shift_name = 'bench') f limit ${rows}`,
];
for (const text of statements)
  await database.asOwner(tenant.id, ({ send }) => send({ name: null, text, values: [String(tenant.id)] }));
await database.analyze();
const tokens = createTokens({ database, keys: parseKeySet(keys, 'HS256'), issuer: 'staffing' });
const { token } = await tokens.issueToken(tenant, apiUser.id, 3600);
await database.close();

const dataDir = mkdtempSync(join(tmpdir(), 'staffing-bench-'));
const port = Number(process.env.PORT ?? 18443);
const server = spawn(process.execPath, [new URL('../../src/main.ts', import.meta.url).pathname], {
  env: {
    PATH: process.env.PATH,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    JWT_KEYS: keys,
    PORT: String(port),
    INTERNAL_PORT: String(port + 1),
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});

/** Returns the server's resident memory in kilobytes, as Linux reports it. */
const resident = () => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);

const get = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; bytes: number; length: string; first: number }>((resolve, reject) => {
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
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            bytes,
            length: String(response.headers['content-length']),
            first,
          }),
        );
      })
      .end();
  });

const ready = async (): Promise<void> => {
  for (;;) {
    if (await get('/clients?limit=1').catch(() => null)) return;
    await sleep(100);
  }
};

try {
  await ready();
  for (let index = 0; index < 50; index++) await get('/assignments?limit=100');
  const idle = resident();
  printLine(`${rows} assignments; resident memory before: ${mebibytes(idle)}`);
  const cases: [what: string, path: string, headers?: Record<string, string>][] = [
    ['gzip', '/assignments'],
    ['identity', '/assignments', { 'Accept-Encoding': 'identity' }],
    ['three fields, envelope', '/assignments?fields=id,status,event.name&envelope=true'],
    ['CSV, gzip', '/assignments.csv'],
    ['CSV, identity', '/assignments.csv', { 'Accept-Encoding': 'identity' }],
    ['JSON lines, gzip', '/assignments.ndjson'],
    ['embedded employees, gzip', '/assignments?fields=id&embed=employee'],
  ];
  for (const [what, path, headers] of cases) {
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, resident());
    }, 25);
    const started = performance.now();
    const { status, bytes, length, first } = await get(path, headers);
    clearInterval(watch);
    const seconds = (time: number) => `${(time / 1000).toFixed(1)} s`;
    printLine(
      `${what}: ${status}, ${mebibytes(bytes)} (length ${length}), first byte ${seconds(first)}, all ${seconds(performance.now() - started)}, peak ${mebibytes(peak)} (+${mebibytes(peak - idle)})`,
    );
  }
} finally {
  server.kill('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
