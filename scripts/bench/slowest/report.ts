import { parseArgs } from 'node:util';
import type { Tenant } from '../../../src/core/principal.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { demoName, fillDemo } from '../../../src/demo/fill.ts';
import { findTenantBySlug } from '../../../src/tenancy/directory.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import { vacuum } from '../data.ts';
import { walkTargets } from './requests.ts';
import { isViolation, type Walked, walk } from './walk.ts';

/** Milliseconds that a shape may take, but for filters with `~` and embeds of whole relations. */
const slow = 50;

/** Milliseconds that no run of a filter with `~` should take. */
const slowScan = 150;

const isTooSlow = ({ label, runs }: Walked): boolean =>
  !label.includes('?embed=') && runs.some(run => run > (/=-?~/.test(label) ? slowScan : slow));

/**
 * `npm run bench slowest -- [--small] [resource…]`:
 * walks every filter, sort and embed of every listing and each other read, or the listings of the resources named, and prints the ten
 * slowest, each but for embeds that takes too long, and each that got slower by being repeated. On the database at DATABASE_URL, whose demo
 * tenant is filled if there is none, or a temporary Postgres server; with the large demo (200,000 assignments), or with `--small` the small
 * one.
 * @returns the exit status: 1 if a shape failed or got slower
 */
export const reportSlowest = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { small: { type: 'boolean' } },
    allowPositionals: true,
  });
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const filling = openDatabase({ url, dataDir: 'memory://' });
  await filling.migrate();
  const tenant = await filledTenant(filling, url, values.small ? 'small' : 'large');
  await filling.close();
  // Another connection for the walk than the one that filled, and only one.
  const database = openDatabase({ url, dataDir: 'memory://', poolSize: 1 });
  const all: Walked[] = [];
  for await (const walked of walk(database, tenant, positionals)) all.push(walked);
  if (positionals.length === 0) for await (const walked of walkTargets(database, tenant)) all.push(walked);
  await database.close();
  for (const line of summaryOf(all)) print(line);
  return all.some(isViolation) ? 1 : 0;
};

const filledTenant = async (database: Database, url: string, size: 'small' | 'large'): Promise<Tenant> => {
  const existing = await findTenantBySlug(database, demoName);
  if (existing) return existing;
  const { tenant } = await fillDemo(database, { size, baseDomain: 'localhost' });
  await vacuum(url);
  return tenant;
};

/** The lines of a report: the number of slow shapes, the ten slowest, and every violation. */
export const summaryOf = (all: readonly Walked[]): readonly string[] => {
  const over = (run: (runs: readonly number[]) => number | undefined) =>
    all.filter(({ runs }) => (run(runs) ?? 0) > slow).length;
  const slowest = all.toSorted((one, other) => Math.max(...other.runs) - Math.max(...one.runs)).slice(0, 10);
  const tooSlow = all.filter(isTooSlow);
  const violations = all.filter(isViolation);
  return [
    `${all.length} shapes; over ${slow} ms at the first run: ${over(runs => runs[0])}, at the last: ${over(runs => runs.at(-1))}`,
    'The ten slowest (milliseconds of each run):',
    ...slowest.map(line),
    `Any run over ${slow} ms (${slowScan} with ~), embeds aside: ${tooSlow.length}`,
    ...tooSlow.map(line),
    `Failed, or later over five times the first run: ${violations.length}`,
    ...violations.map(line),
  ];
};

const line = ({ label, runs }: Walked): string =>
  `  ${label}: ${runs.map(run => (Number.isFinite(run) ? run.toFixed(1) : 'failed')).join(' ')}`;
