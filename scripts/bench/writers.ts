import type { TenantDb } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';

/** Writers at the same time, each on its own connection. */
const writers = 16;

/** One of the ways to write that are compared: a function that writes once. */
export type WriterWay = () => Promise<unknown>;

/** The writes per second of a way in each round. */
type Rates = readonly number[];

/** Returns an empty database with one tenant on a temporary server, and a connection for each writer. */
export const openForWriters = async () => {
  const url = await startPostgres({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' });
  const database = openDatabase({ url, dataDir: 'memory://', poolSize: writers });
  await database.migrate();
  const { id } = await database.system
    .insertInto('tenants')
    .values({ slug: 'bench', name: 'bench', time_zone: 'UTC', modules: '[]' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const named = { slug: 'bench', name: 'bench', timeZone: 'UTC' };
  const db: TenantDb = database.forTenant({
    id,
    ...named,
    modules: new Set(),
    rateLimit: null,
    sandbox: false,
    clockAhead: 0,
  });
  return { database, db };
};

/**
 * Measures ways in rounds, in each of which every way has its turn.
 * @param rounds an odd number
 * @param milliseconds of each turn
 */
export const measureRates = async <Name extends string>(
  ways: Readonly<Record<Name, WriterWay>>,
  rounds: number,
  milliseconds: number,
): Promise<ReadonlyMap<Name, Rates>> => {
  const names = Object.keys(ways) as Name[];
  const rates = new Map<Name, number[]>(names.map(name => [name, []]));
  for (const name of names) await rateOf(ways[name], milliseconds / 4);
  for (let round = 0; round < rounds; round++) {
    // The other way round in every second one, so that none is always the first.
    for (const name of round % 2 === 0 ? names : names.toReversed())
      rates.get(name)?.push(await rateOf(ways[name], milliseconds));
  }
  return rates;
};

const rateOf = async (way: WriterWay, milliseconds: number): Promise<number> => {
  let done = 0;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (; performance.now() - from < milliseconds; done++) await way();
    }),
  );
  return (done * 1000) / (performance.now() - from);
};

/** Returns the median of an odd number of numbers. */
export const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number;

/** A line of a report: the median, the lowest and the highest of the rounds. */
export const rateLine = (name: string, rates: Rates): string => {
  const [median, lowest, highest] = [medianOf(rates), Math.min(...rates), Math.max(...rates)].map(Math.round);
  return `${name}: ${median} writes per second (${lowest} to ${highest})`;
};
