import { setTimeout as sleep } from 'node:timers/promises';
import type { Contest, Contestant } from './contestants.ts';
import type { LoadOrder } from './load.ts';
import { cpuOf, watchResident } from './processes.ts';
import { type Measured, median } from './report.ts';
import type { Workload } from './workloads/workload.ts';

/** How long and how often each contestant is measured. */
export interface MeasuringPace {
  readonly milliseconds: number;
  /** Rounds of a workload that does not say how many. */
  readonly rounds: number;
  /** Rounds at most. */
  readonly most: number;
  /** Seconds of silence at most. */
  readonly silence: number;
}

/** Numbers of requests that no other turn gets. */
export const numbersOfTurn = 1_000_000;

/**
 * Has the load send a contestant what `order` says, and measures it.
 * @param postgres the database server's process; null: it is on another machine
 * @throws Error if a response has another status than the workload's
 */
export const measureTurn = async (
  contest: Pick<Contest, 'load'>,
  contestant: Contestant,
  order: LoadOrder,
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

/**
 * Measures a workload in rounds, in each of which every contestant has a turn.
 * @returns the rounds of each contestant; of a workload after silence those of what follows it, too
 */
export const measureRounds = async (
  name: string,
  workload: Workload,
  contest: Pick<Contest, 'contestants' | 'load'>,
  pace: MeasuringPace,
  postgres: number | null,
): Promise<readonly (readonly Measured[])[]> => {
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
  return [...results.values()];
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
