import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Contest, type Contestant, startContest } from './contestants.ts';
import { type BenchTenant, comparedTenants, fillTenants, listedTenant } from './data.ts';
import { serverOf } from './processes.ts';
import { jsonOf, type Measured, tableOf, withRatios } from './report.ts';
import { checkSame } from './same.ts';
import { measureTurn, medianOf, numbersOfTurn } from './turn.ts';
import { type Workload, workloads } from './workloads.ts';

/** How long and how often each contestant is measured. */
interface Pace {
  readonly milliseconds: number;
  /** Rounds of a workload that does not say how many. */
  readonly rounds: number;
  /** Rounds at most. */
  readonly most: number;
  /** Seconds of silence at most. */
  readonly silence: number;
}

const paces: Readonly<Record<'whole' | 'short', Pace>> = {
  whole: { milliseconds: 2_000, rounds: 5, most: Number.POSITIVE_INFINITY, silence: 30 },
  short: { milliseconds: 300, rounds: 1, most: 1, silence: 1 },
};

/**
 * `npm run bench -- [workload…] [--json FILE] [--short]`: compares the server with two floors, bare servers that send the same statements
 * and return the same bytes, on a temporary Postgres server or the one at DATABASE_URL, whose tenants are filled if they are missing.
 * Every process is one of its own; the contestants take turns, in several rounds. Prints a table: CPU of each request, and what it is
 * against the floors, hardly depends on what else the machine does; all else does. `--short`: little data, one round.
 * @returns the exit status: 1 if a contestant failed or responded otherwise
 */
export const compare = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'string' }, short: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(workloads);
  const unknown = names.find(name => !workloads[name]);
  if (unknown) {
    print(`There is no workload ${unknown}; there are ${Object.keys(workloads).join(', ')}.`);
    return 1;
  }
  const url = process.env.DATABASE_URL ?? (await startPostgres({ autovacuum: 'off' }));
  const keys = generateKeySet('HS256');
  const isListed = names.map(name => workloads[name]?.listed === true);
  const wanted = [
    ...(isListed.includes(false) ? comparedTenants(values.short) : []),
    ...(isListed.includes(true) ? [listedTenant(values.short)] : []),
  ];
  const tenants = await fillTenants(url, wanted, keys);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const postgres = await prepare(client, tenants);
  const contest = await startContest(url, keys, tenants);
  const pace = paces[values.short ? 'short' : 'whole'];
  const measured: Measured[] = [];
  const failures: string[] = [];
  try {
    for (const name of names) {
      const workload = workloads[name] as Workload;
      try {
        await checkSame(name, workload, contest.contestants, tenants);
        measured.push(...(await measure(name, workload, contest, pace, postgres)));
        // At once: a run that is stopped leaves what it has measured.
        if (values.json) writeFileSync(values.json, jsonOf(withRatios(measured)));
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
  } finally {
    await contest.end();
    await client.query('drop schema bench_floor cascade');
    await client.end();
  }
  for (const line of tableOf(withRatios(measured))) print(line);
  for (const failure of failures) print(failure);
  return failures.length > 0 ? 1 : 0;
};

/** Makes what the floors need, and removes what would be at work while others are measured. @returns the database server's process */
const prepare = async (client: pg.Client, tenants: readonly BenchTenant[]): Promise<number | null> => {
  await client.query(readFileSync(new URL('./floor/schema.sql', import.meta.url), 'utf8'));
  for (const table of ['automation_deliveries', 'automation_occurrences', 'automations'])
    await client.query(`delete from ${table} where tenant_id = any($1)`, [tenants.map(({ id }) => id)]);
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return serverOf(rows[0]?.pid ?? 0);
};

const measure = async (
  name: string,
  workload: Workload,
  contest: Contest,
  pace: Pace,
  postgres: number | null,
): Promise<readonly Measured[]> => {
  const { contestants } = contest;
  const rounds = Math.min(pace.most, workload.rounds ?? pace.rounds);
  const results = new Map<string, Measured[]>();
  const take = async (label: string, contestant: Contestant, from: number, milliseconds: number, most?: number) => {
    const order = { workload: name, port: contestant.port, from, milliseconds, ...(most && { most }) };
    const one = { ...(await measureTurn(contest, contestant, order, postgres)), workload: label };
    const key = `${label}|${contestant.name}`;
    results.set(key, [...(results.get(key) ?? []), one]);
  };
  const { milliseconds } = pace;
  if (!workload.together)
    for (const { port } of contestants) await contest.load({ workload: name, port, from: numbersOfTurn, milliseconds });
  for (let round = 0; round < rounds; round++) {
    const from = (round + 2) * numbersOfTurn;
    // Nobody is always the first, who finds the data least ready.
    const order = contestants.map((_, index) => contestants[(index + round) % contestants.length] as Contestant);
    if (workload.silence) await sleep(1000 * Math.min(workload.silence, pace.silence));
    for (const contestant of order) await take(name, contestant, from, milliseconds, workload.silence ? 1 : undefined);
    if (workload.silence)
      for (const contestant of order) await take(`${name}, warm`, contestant, from + 1, milliseconds, 20);
  }
  return [...results.values()].map(medianOf);
};
