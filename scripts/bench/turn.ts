import type { Contest, Contestant } from './contestants.ts';
import type { Order } from './load.ts';
import { cpuOf, watchResident } from './processes.ts';
import { type Measured, median } from './report.ts';

/** Numbers of requests that no other turn gets. */
export const numbersOfTurn = 1_000_000;

/**
 * Has the load send a contestant what `order` says, and measures it.
 * @param postgres the database server's process; null: it is on another machine
 * @throws Error if a response has another status than the workload's
 */
export const measureTurn = async (
  contest: Contest,
  contestant: Contestant,
  order: Order,
  postgres: number | null,
): Promise<Measured> => {
  const before = [cpuOf(contestant.pid), postgres ? cpuOf(postgres) : 0] as const;
  const watched = watchResident(contestant.pid);
  const load = await contest.load(order);
  const rssMiB = watched();
  const own = cpuOf(contestant.pid) - before[0];
  const shared = postgres ? cpuOf(postgres) - before[1] : null;
  if (load.failure) throw new Error(`${order.workload}: ${contestant.name} failed: ${load.failure}`);
  const { requests, seconds, p50Ms, p99Ms } = load;
  return {
    workload: order.workload,
    contestant: contestant.name,
    ownMs: own / requests,
    cpuMs: shared === null ? null : (own + shared) / requests,
    requestsPerSecond: requests / seconds,
    p50Ms,
    p99Ms,
    rssMiB,
  };
};

/** Returns the medians of several turns. */
export const medianOf = (rounds: readonly Measured[]): Measured => {
  const [first] = rounds as readonly [Measured];
  const of = (value: (one: Measured) => number): number => median(rounds.map(value));
  return {
    ...first,
    ownMs: of(one => one.ownMs),
    cpuMs: first.cpuMs === null ? null : of(one => one.cpuMs ?? Number.NaN),
    requestsPerSecond: of(one => one.requestsPerSecond),
    p50Ms: of(one => one.p50Ms),
    p99Ms: of(one => one.p99Ms),
    rssMiB: of(one => one.rssMiB),
  };
};
