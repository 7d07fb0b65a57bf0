import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { compareBuilds } from './against/builds.ts';
import { startContest } from './contestants.ts';
import { fillTenants, settle } from './data.ts';
import { jsonOf, type Measured, tableOf, withRatios } from './report.ts';
import { checkSame } from './same.ts';
import { type MeasuringPace, measureRounds, medianOf } from './turn.ts';
import type { Workload } from './workloads/workload.ts';
import { wantedBy, workloads } from './workloads/workloads.ts';

const paces: Readonly<Record<'whole' | 'short', MeasuringPace>> = {
  whole: { milliseconds: 2_000, rounds: 5, most: Number.POSITIVE_INFINITY, silence: 30 },
  short: { milliseconds: 100, rounds: 1, most: 1, silence: 1 },
};

/**
 * `npm run bench -- [workload…] [--json FILE] [--against CHECKOUT] [--short]`:
 * compares the server with two floors, bare servers that send the same statements and return the same bytes, on a temporary Postgres server or the one at
 * DATABASE_URL, whose tenants are filled if they are missing. Every process is one of its own; the contestants take turns, in several rounds. Prints a table:
 * CPU of each request, and what it is against the floors, hardly depends on what else the machine does; all else does. `--short`: little data, one round.
 * `--against` compares with another build instead: see against/builds.ts.
 * @returns the exit status: 1 if a contestant failed or responded otherwise, or a workload is worse than that of the other build
 */
export const compare = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: 'string' }, against: { type: 'string' }, short: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = namesOf(positionals, print);
  if (!names) return 1;
  if (values.against !== undefined) return compareBuilds(values.against, names, values.short, print);
  const url = process.env.DATABASE_URL ?? (await startPostgres({ autovacuum: 'off' }));
  const keys = generateKeySet('HS256');
  const tenants = await fillTenants(url, wantedBy(names, values.short), keys);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(readFileSync(new URL('./floor/schema.sql', import.meta.url), 'utf8'));
  const postgres = await settle(client, tenants);
  const contest = await startContest(url, keys, tenants);
  const pace = paces[values.short ? 'short' : 'whole'];
  const measured: Measured[] = [];
  const failures: string[] = [];
  try {
    for (const name of names) {
      const workload = workloads[name] as Workload;
      try {
        await checkSame(name, workload, contest.contestants, tenants);
        measured.push(...(await measureRounds(name, workload, contest, pace, postgres)).map(medianOf));
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

/** Returns the workloads that are asked for: all by default; null: an unknown name, which is printed. */
const namesOf = (asked: readonly string[], print: (line: string) => void): readonly string[] | null => {
  const unknown = asked.find(name => !workloads[name]);
  if (unknown === undefined) return asked.length > 0 ? asked : Object.keys(workloads);
  print(`There is no workload ${unknown}; there are ${Object.keys(workloads).join(', ')}.`);
  return null;
};
