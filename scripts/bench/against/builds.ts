import { existsSync, globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { generateKeySet } from '../../../src/tenancy/keys.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import { type Contest, startContest } from '../contestants.ts';
import { fillTenants, settle } from '../data.ts';
import { type MeasuringPace, measureRounds } from '../turn.ts';
import type { Workload } from '../workloads/workload.ts';
import { wantedBy, workloads } from '../workloads/workloads.ts';
import { type Compared, comparedOf, linesOf } from './report.ts';

const paces: Readonly<Record<'whole' | 'short', MeasuringPace>> = {
  whole: { milliseconds: 2_000, rounds: 7, most: 9, silence: 30 },
  short: { milliseconds: 300, rounds: 5, most: 5, silence: 1 },
};

/**
 * Compares this build with another one: both run twice, at the same time, and take turns.
 * Each has a database of its own with the same data, which the other build has filled, on one temporary Postgres server: a build may
 * have migrations that the other one lacks.
 * @param checkout the folder of the other build, with its dependencies installed
 * @returns the exit status: 1 if a workload is worse, or failed
 */
export const compareBuilds = async (
  checkout: string,
  names: readonly string[],
  short: boolean,
  print: (line: string) => void,
): Promise<number> => {
  const root = resolve(checkout);
  const [data] = globSync('scripts/bench/**/data.ts', { cwd: root });
  if (!data || !existsSync(join(root, 'node_modules'))) {
    print(`${root} is no checkout of a build with its dependencies installed.`);
    return 1;
  }
  const other: typeof import('../data.ts') = await import(pathToFileURL(join(root, data)).href);
  const server = await startPostgres({ autovacuum: 'off' });
  const [theirs, ours] = ['other_build', 'this_build'].map(name => urlOf(server, name)) as [string, string];
  const keys = generateKeySet('HS256');
  const wanted = wantedBy(names, short);
  await query(server, client => client.query('create database other_build'));
  const filled = await other.fillTenants(theirs, wanted, keys);
  await query(server, client => client.query('create database this_build template other_build'));
  const described = await fillTenants(ours, wanted, keys);
  // Tokens are valid where they were issued, and in the copy.
  const tenants = described.map((tenant, index) => ({ ...tenant, token: filled[index]?.token ?? '' }));
  await query(theirs, client => settle(client, tenants));
  const postgres = await query(ours, client => settle(client, tenants));
  const contests: Contest[] = [];
  const compared: Compared[] = [];
  const failures: string[] = [];
  try {
    const entrants = [
      { name: 'this', url: ours },
      { name: 'other', url: theirs, root },
      { name: 'this, again', url: ours },
      { name: 'other, again', url: theirs, root },
    ];
    for (const { url, root } of entrants) contests.push(await startContest(url, keys, tenants, {}, root));
    const [{ load }] = contests as [Contest];
    const contestants = contests.flatMap((contest, index) =>
      contest.contestants.map(contestant => ({ ...contestant, name: entrants[index]?.name ?? '' })),
    );
    const pace = paces[short ? 'short' : 'whole'];
    for (const name of names) {
      const rounds = await measureRounds(
        name,
        workloads[name] as Workload,
        { contestants, load },
        pace,
        postgres,
      ).catch(error => failures.push(String(error)));
      if (typeof rounds === 'object') compared.push(...comparedOf(rounds));
    }
  } finally {
    for (const contest of contests) await contest.end();
  }
  for (const line of [...linesOf(compared), ...failures]) print(line);
  return failures.length > 0 || compared.some(({ isWorse }) => isWorse) ? 1 : 0;
};

const urlOf = (server: string, database: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
};

const query = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
};
