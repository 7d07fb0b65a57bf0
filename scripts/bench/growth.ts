import { parseArgs } from 'node:util';
import pg from 'pg';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Contest, type Contestant, startContest } from './contestants.ts';
import { type BenchTenant, fillTenants, type WantedTenant } from './data.ts';
import { serverOf } from './processes.ts';
import { aligned, type Measured } from './report.ts';
import { measureTurn, medianOf, numbersOfTurn } from './turn.ts';

/** How much there is, and how long and how often it is measured. */
interface Extent {
  /** Numbers of assignments: of the tenant that is alone at first, of the largest at last, and of all. */
  readonly first: number;
  readonly largest: number;
  readonly all: number;
  readonly tenants: number;
  readonly milliseconds: number;
  readonly rounds: number;
}

/** The extents of the benchmark and of its short form. */
export const extents: Readonly<Record<'whole' | 'short', Extent>> = {
  whole: { first: 20_000, largest: 100_000, all: 2_000_000, tenants: 200, milliseconds: 2_000, rounds: 9 },
  short: { first: 900, largest: 2_000, all: 5_000, tenants: 4, milliseconds: 100, rounds: 1 },
};

/** Returns the tenants at last: first, largest, and others of half to one and a half the mean size. */
export const grownTenants = ({ first, largest, all, tenants }: Extent): readonly WantedTenant[] => {
  const others = tenants - 2;
  const mean = (all - first - largest) / others;
  const sizes = Array.from({ length: others }, (_, index) => Math.round(mean * (0.5 + (index + 0.5) / others)));
  const missing = all - [first, largest, ...sizes].reduce((sum, size) => sum + size, 0);
  return [first, largest + missing, ...sizes].map((size, index) => ({ slug: `growth-${index + 1}`, size }));
};

/** What a list of fifty was measured in. */
export interface Grown {
  readonly tenants: number;
  /** Numbers of assignments. */
  readonly all: number;
  readonly own: number;
  readonly measured: Measured;
}

/**
 * `npm run bench growth -- [--short]`:
 * what a list of 50 costs in the only tenant with 20,000 assignments, in the same tenant beside 199 others with 2,000,000 assignments in
 * all, and in the largest of these, which has 100,000. Both databases are filled, each on a Postgres server of its own (4 GiB of disk,
 * some minutes), and measured in turns, so that what else the machine does counts for all. Prints CPU and latency of a request, and their
 * ratios to the tenant that is alone. `--short`: little data, one round.
 * @returns the exit status: 1 if a request failed
 */
export const reportGrowth = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { short: { type: 'boolean', default: false } } });
  const extent = extents[values.short ? 'short' : 'whole'];
  const keys = generateKeySet('HS256');
  const wanted = grownTenants(extent);
  const started = performance.now();
  const small = await fill(wanted.slice(0, 1), keys);
  const large = await fill(wanted, keys);
  print(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
  const [alone, [beside, largest]] = [small.tenants, large.tenants];
  const places: GrowthTrial[] = [];
  try {
    for (const [database, tenant] of [
      [small, alone[0]],
      [large, beside],
      [large, largest],
    ] as const)
      if (tenant) places.push(await open(database, tenant, keys));
    const measured = await measureInTurns(places, extent);
    const grown = places.map(({ database, tenant }, index) => ({
      tenants: database.tenants.length,
      all: database.tenants.reduce((sum, { size }) => sum + size, 0),
      own: tenant.size,
      measured: measured[index] as Measured,
    }));
    for (const line of growthLines(grown)) print(line);
    return 0;
  } finally {
    for (const { contest } of places) await contest.end();
  }
};

/** A filled database. */
interface Filled {
  readonly url: string;
  readonly tenants: readonly BenchTenant[];
  /** The database server's process. */
  readonly postgres: number | null;
}

const fill = async (wanted: readonly WantedTenant[], keys: string): Promise<Filled> => {
  const url = await startPostgres({ autovacuum: 'off' });
  const tenants = await fillTenants(url, wanted, keys);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postgres = serverOf(rows[0]?.pid ?? 0);
  await client.end();
  return { url, tenants, postgres };
};

/** A tenant, and the server that it is measured on. */
interface GrowthTrial {
  readonly database: Filled;
  readonly tenant: BenchTenant;
  readonly contest: Contest;
}

const open = async (database: Filled, tenant: BenchTenant, keys: string): Promise<GrowthTrial> => ({
  database,
  tenant,
  // A small tenant has so few different lists that responses which are kept would help it more than a large one.
  contest: await startContest(database.url, keys, [tenant], { READ_CACHE: '0' }),
});

const measureInTurns = async (
  places: readonly GrowthTrial[],
  { milliseconds, rounds }: Extent,
): Promise<readonly Measured[]> => {
  const results = places.map((): Measured[] => []);
  // The first round is not counted: caches and plans are made.
  for (let round = 0; round <= rounds; round++)
    for (let turn = 0; turn < places.length; turn++) {
      // Nobody is always the first.
      const index = (turn + round) % places.length;
      const { contest, database } = places[index] as GrowthTrial;
      const [server] = contest.contestants as readonly [Contestant];
      const order = { workload: 'list50', port: server.port, from: round * numbersOfTurn, milliseconds };
      const measured = await measureTurn(contest, server, order, database.postgres);
      if (round > 0) results[index]?.push(measured);
    }
  return results.map(medianOf);
};

/** The lines of a report: the first is what the others are compared with. */
export const growthLines = (all: readonly Grown[]): readonly string[] => {
  const number = (value: number): string => value.toLocaleString('en');
  const titles = [
    'assignments of the tenant',
    'of all',
    'tenants',
    'CPU ms',
    'ratio',
    'own',
    'Postgres',
    'p50 ms',
    'ratio',
  ];
  const [{ measured: first }] = all as readonly [Grown];
  const rows = all.map(({ tenants, all, own, measured: { cpuMs, ownMs, p50Ms } }) => [
    ...[own, all, tenants].map(number),
    ...[cpuMs ?? ownMs, (cpuMs ?? ownMs) / (first.cpuMs ?? first.ownMs)].map(value => value.toFixed(2)),
    ...[ownMs, (cpuMs ?? Number.NaN) - ownMs, p50Ms, p50Ms / first.p50Ms].map(value => value.toFixed(2)),
  ]);
  return aligned([titles, ...rows]);
};
