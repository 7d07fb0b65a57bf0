import { parseArgs } from 'node:util';
import pg from 'pg';
import { PENDING } from '../../src/automations/pending.ts';
import { openDatabase } from '../../src/db/open.ts';
import { keptFor, removeOld } from '../../src/server/jobs/retention.ts';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { startContest } from './contestants.ts';
import { comparedTenants, fillTenants, vacuum } from './data.ts';
import { memoryOf } from './processes.ts';
import { numbersOfTurn } from './turn.ts';

/**
 * How long the load lasts, in minutes; the warm-up is the first part of it.
 * The heap grows for up to four and a half minutes, then no more.
 */
const extents = { whole: { minutes: 15, warmUp: 5 }, short: { minutes: 0.2, warmUp: 0.05 } } as const;

/** What is sent, in turns. */
const mixture = [
  'read',
  'list50',
  'create',
  'list50fields',
  'status',
  'embed',
  'repeat',
  'rejected',
  'notmod',
  'dynamic',
  'unknown',
  'list5k',
] as const;

/** Milliseconds of a turn. */
const turn = 500;

/** What is kept for a time only, and must not outlast it. */
const prunedTables = ['journal', 'idempotency_keys', 'refused_requests', 'automation_deliveries', 'sandbox_inbox'];

/** The state of the server at a time. */
export interface SoakSample {
  /** Since the load began. */
  readonly minutes: number;
  /** Resident memory (MiB). */
  readonly resident: number;
  /** The 99th percentile of the delays of the event loop since the sample before. */
  readonly delayMs: number;
}

/** What a soak promises: MiB a minute, and milliseconds. */
export const soakLimits = { growth: 1, delayMs: 50 } as const;

/** The slope of resident memory over time by least squares, in MiB a minute. */
export const growthOf = (samples: readonly SoakSample[]): number => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [time, memory] = [mean(samples.map(({ minutes }) => minutes)), mean(samples.map(({ resident }) => resident))];
  const spread = samples.reduce((sum, { minutes }) => sum + (minutes - time) ** 2, 0);
  return samples.reduce((sum, { minutes, resident }) => sum + (minutes - time) * (resident - memory), 0) / spread;
};

/** Returns what samples after the warm-up break of the limits, a sentence each. */
export const brokenLimits = (samples: readonly SoakSample[]): readonly string[] => {
  const growth = growthOf(samples);
  const delays = samples.map(({ delayMs }) => delayMs).sort((one, other) => one - other);
  const delay = delays[Math.floor(delays.length / 2)] ?? Number.NaN;
  return [
    ...(growth < soakLimits.growth ? [] : [`Resident memory grows by ${growth.toFixed(2)} MiB a minute.`]),
    ...(delay < soakLimits.delayMs ? [] : [`The event loop is late by ${delay.toFixed(0)} ms (p99).`]),
  ];
};

/**
 * `npm run soak -- [--short]`: ten minutes of mixed load, after a warm-up of five.
 * On a temporary Postgres server or the one at DATABASE_URL. Fails if a status is
 * unexpected, if memory grows by 1 MiB a minute after the warm-up, if the event loop is late by 50 ms (median of p99), or if rows
 * remain of what is kept for a time only when that time is over. `--short`: seconds, without the limits of memory and delay.
 * @returns the exit status
 */
export const reportSoak = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { short: { type: 'boolean', default: false } } });
  const { minutes, warmUp } = extents[values.short ? 'short' : 'whole'];
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const keys = generateKeySet('HS256');
  const tenants = await fillTenants(url, comparedTenants(true), keys);
  await vacuum(url);
  const internalPort = await freePort();
  const contest = await startContest(url, keys, tenants, {
    INTERNAL_PORT: `${internalPort}`,
    AUTOMATIONS: 'true',
    LOG_LEVEL: 'error',
  });
  const [server] = contest.contestants;
  if (!server) throw new Error('There is no server.');
  const broken: string[] = [];
  const samples: SoakSample[] = [];
  let requests = 0;
  try {
    const begun = performance.now();
    const elapsed = () => (performance.now() - begun) / 60_000;
    for (let round = 1; elapsed() < minutes; round++) {
      for (const workload of mixture) {
        const order = { workload, port: server.port, from: round * numbersOfTurn, milliseconds: turn };
        const { requests: sent, failure } = await contest.load(order);
        requests += sent;
        if (failure) broken.push(failure);
      }
      samples.push({ minutes: elapsed(), resident: memoryOf(server.pid).now, delayMs: await delayAt(internalPort) });
    }
  } finally {
    await contest.end();
  }
  const measured = samples.filter(sample => sample.minutes > warmUp);
  const last = samples.at(-1);
  print(
    `${requests} requests, ${last?.resident.toFixed(0)} MiB at the end, ${growthOf(measured).toFixed(2)} MiB a minute`,
  );
  if (!values.short) broken.push(...brokenLimits(measured));
  broken.push(...(await rowsAfterTheirTime(url)));
  for (const sentence of broken) print(sentence);
  return broken.length > 0 ? 1 : 0;
};

/** The 99th percentile of the event loop's delays since it was asked last (ms). */
const delayAt = async (port: number): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_p99_seconds\S* (\S+)/m.exec(metrics)?.[1]) * 1000;
};

const rowsAfterTheirTime = async (url: string): Promise<readonly string[]> => {
  const database = openDatabase({ url, dataDir: 'memory://' });
  await removeOld(keptFor(1), database, Date.now() + 500 * 86_400_000);
  await database.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const left: string[] = [];
  for (const table of prunedTables) {
    // What is yet to be sent has no end of its time.
    const ended = table === 'automation_deliveries' ? `where status <> ${PENDING}` : '';
    const { rows } = await client.query(`select count(*)::int as count from ${table} ${ended}`);
    if (rows[0]?.count > 0) left.push(`${table} has ${rows[0].count} rows whose time is over.`);
  }
  await client.end();
  return left;
};
