import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Contestant, startContest } from './contestants.ts';
import { comparedTenants, fillTenants, vacuum } from './data.ts';
import { childrenOf } from './processes.ts';
import { median } from './report.ts';
import { numbersOfTurn } from './turn.ts';

/** How long and how often it is measured. */
const extents = { whole: { milliseconds: 4_000, rounds: 11 }, short: { milliseconds: 100, rounds: 1 } } as const;

/** Microseconds in which a process gets its share. */
const period = 10_000;

/** What limits a process in versions 1 and 2 of control groups: the folder and its files' content. */
const controls: readonly [folder: string, files: (share: number) => Readonly<Record<string, string>>][] = [
  [
    '/sys/fs/cgroup/cpu',
    share => ({ 'cpu.cfs_period_us': `${period}`, 'cpu.cfs_quota_us': `${Math.round((share * period) / 100)}` }),
  ],
  ['/sys/fs/cgroup', share => ({ 'cpu.max': `${Math.round((share * period) / 100)} ${period}` })],
];

/**
 * `npm run bench workers -- [--share PERCENT] [--short]`:
 * lists of 50 from a server with two workers against one, where each of these processes has a share of a core only (25 %), so that neither
 * Postgres nor the load is the limit, however few cores the machine has. That needs Linux and the right to make control groups
 * (cgroups(7)); without it the processes have no limit, which is printed. On a temporary Postgres server or the one at DATABASE_URL.
 * @returns the exit status: 1 if a request failed
 */
export const reportWorkers = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { share: { type: 'string', default: '25' }, short: { type: 'boolean', default: false } },
  });
  const { milliseconds, rounds } = extents[values.short ? 'short' : 'whole'];
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const keys = generateKeySet('HS256');
  const tenants = await fillTenants(url, comparedTenants(values.short), keys);
  await vacuum(url);
  const contest = await startContest(url, keys, tenants);
  const folders: string[] = [];
  try {
    const [one, two] = contest.contestants as readonly [Contestant, Contestant];
    const servers = [one, two].map(({ port }) => ({ port, measured: [] as number[] }));
    const loadOf = (port: number, turn: number) =>
      contest.load({ workload: 'list50', port, from: turn * numbersOfTurn, milliseconds });
    for (const { port } of servers) await loadOf(port, 1);
    const limited = [one.pid, ...childrenOf(two.pid)].map(pid => limit(pid, Number(values.share)));
    folders.push(...limited.flatMap(folder => folder ?? []));
    const isLimited = folders.length === limited.length;
    print(isLimited ? `Each process: ${values.share} % of a core.` : 'The processes cannot be limited here.');
    for (let round = 0; round < rounds; round++)
      // Nobody is always the first.
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const { requests, seconds, failure } = await loadOf(server.port, round + 2);
        if (failure) throw new Error(failure);
        server.measured.push(requests / seconds);
      }
    for (const line of workerLines(servers.map(({ measured }) => measured))) print(line);
    return 0;
  } finally {
    await contest.end();
    for (const folder of folders) remove(folder);
  }
};

/**
 * Limits a process to a percentage of a core.
 * @returns the folder of its control group; null: it cannot be limited
 */
const limit = (pid: number, share: number): string | null => {
  for (const [root, files] of controls) {
    const folder = `${root}/staffing-bench-${pid}`;
    try {
      mkdirSync(folder);
    } catch {
      // Another version of control groups, or no right to make any.
      continue;
    }
    try {
      for (const [name, content] of Object.entries(files(share))) writeFileSync(`${folder}/${name}`, content);
      writeFileSync(`${folder}/cgroup.procs`, `${pid}`);
      return folder;
    } catch {
      remove(folder);
    }
  }
  return null;
};

const remove = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // A process that has just ended may still be in it.
  }
};

/** The lines of a report: requests per second of one worker and of two, and their ratio. */
export const workerLines = ([one = [], two = []]: readonly (readonly number[])[]): readonly string[] => {
  const [single, both] = [median(one), median(two)];
  return [
    `one worker: ${single.toFixed(0)} requests/s`,
    `two workers: ${both.toFixed(0)} requests/s, ${(both / single).toFixed(2)} times`,
  ];
};
