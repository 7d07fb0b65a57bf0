import { sql } from 'kysely';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Tally, tallies } from '../../core/tally.ts';
import type { Database } from '../../db/open.ts';
import { JOBS } from '../../db/queue.ts';
import type { InternalRoutes } from '../../http/connection/internal/route.ts';
import type { Finished } from '../../http/request/log.ts';
import type { MetricValues } from '../workers/messages.ts';

/** The metrics of this process, in the format of Prometheus. */
export interface Metrics {
  /** Counts a request that has been responded to. */
  readonly observe: (request: Finished) => void;
  /** Returns the metrics as they can be sent to another process. */
  readonly values: () => Promise<MetricValues>;
  /** The route /metrics. */
  readonly routes: InternalRoutes;
}

/** The sources of metrics. */
export interface MetricSources {
  readonly database: Pick<Database, 'kind' | 'usage' | 'system' | 'wakeups'>;
  /** Returns whether the database has its schema, and may be asked. */
  readonly prepared: () => boolean;
  readonly version: string;
  /** Returns the metrics of the workers, for reports with this process's; undefined: none. */
  readonly ofWorkers?: () => Promise<readonly MetricValues[]> | undefined;
}

/** Upper bounds of the histogram of durations, in seconds. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type LabelledValues = Iterable<readonly [label: string, value: number]>;

/** Adds a metric whose values are read when it is asked for. */
const addGauge = (
  registers: Registry[],
  name: string,
  help: string,
  label: string | null,
  values: () => LabelledValues | Promise<LabelledValues>,
) =>
  new Gauge({
    name,
    help,
    labelNames: label === null ? [] : [label],
    registers,
    async collect() {
      this.reset();
      for (const [value, count] of await values())
        if (label === null) this.set(count);
        else this.set({ [label]: value }, count);
    },
  });

/** Adds a metric of what a tally of the process has counted. */
const addCounter = (registers: Registry[], name: string, help: string, label: string, tally: Tally) =>
  new Counter({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      for (const [value, total] of tally.entries()) this.inc({ [label]: value }, total);
    },
  });

const counters: readonly (readonly [name: string, help: string, label: string, tally: Tally])[] = [
  ['staffing_changes_total', 'Changes of records entered in the journal.', 'change', tallies.changes],
  ['staffing_webhooks_total', 'Attempts to send a webhook, by result.', 'result', tallies.webhooks],
  ['staffing_webhook_seconds_total', 'Seconds these attempts took.', 'result', tallies.webhookSeconds],
  ['staffing_cache_hits_total', 'Look-ups that found an entry, by cache.', 'cache', tallies.cacheHits],
  ['staffing_cache_misses_total', 'Look-ups that found no entry, by cache.', 'cache', tallies.cacheMisses],
  [
    'staffing_cache_evicted_bytes_total',
    'Bytes removed from caches to make room for others, by cache.',
    'cache',
    tallies.cacheEvicted,
  ],
];

/** Returns the number of jobs in each state; none if the database does not respond. */
const countJobs = async ({ system }: Pick<Database, 'system'>): Promise<LabelledValues> => {
  const counting = sql<{ state: string; count: number }>`
    select state::text as state, count(*)::integer as count from ${sql.table(`${JOBS}.job`)} group by state`;
  const { rows } = await counting.execute(system).catch(() => ({ rows: [] }));
  return rows.map(({ state, count }) => [state, count] as const);
};

/** Adds what is read of the database. */
const addDatabase = (registers: Registry[], { database, prepared }: MetricSources): void => {
  const read = addGauge.bind(null, registers);
  read('staffing_database_connections', 'Places for connections to the database, by state.', 'state', () => {
    const { places, used } = database.usage();
    return Object.entries({ used, free: places - used });
  });
  read('staffing_database_waiting', 'Transactions that wait for a connection to the database.', null, () => [
    ['', database.usage().waiting],
  ]);
  read('staffing_jobs', 'Jobs of the queue, by state.', 'state', () => (prepared() ? countJobs(database) : []));
  read('staffing_changes_waiting', 'Requests that wait for changes (GET /changes?wait=).', null, () => [
    ['', database.wakeups.waiting],
  ]);
};

/** Adds the metrics of requests, and returns what enters one. */
const addRequests = (registers: Registry[]): Metrics['observe'] => {
  const requests = new Counter({
    name: 'staffing_requests_total',
    help: 'Requests responded to, by operation of the document (empty: none) and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'staffing_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its processing, by operation.',
    labelNames: ['operation'],
    buckets: durations,
    registers,
  });
  return ({ operation, status, ms }) => {
    requests.inc({ operation: operation ?? '', status: String(status) });
    duration.observe({ operation: operation ?? '' }, ms / 1000);
  };
};

/** Creates the metrics. Labels come from fixed sets, so that no client can add series. */
export const createMetrics = (sources: MetricSources): Metrics => {
  const { database, version, ofWorkers = () => undefined } = sources;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'staffing_info',
    help: 'The running version.',
    labelNames: ['version', 'database'],
    aggregator: 'first',
    registers,
  }).set({ version, database: database.kind }, 1);
  const observe = addRequests(registers);
  addDatabase(registers, sources);
  for (const counter of counters) addCounter(registers, ...counter);

  const values = (): Promise<MetricValues> => registry.getMetricsAsJSON();
  const metrics = async (): Promise<string> => {
    const workers = await ofWorkers();
    // Safe: aggregation only reads them.
    const processes = workers && ([await values(), ...workers] as Parameters<typeof AggregatorRegistry.aggregate>[0]);
    return (processes ? AggregatorRegistry.aggregate(processes) : registry).metrics();
  };
  return {
    values,
    observe,
    routes: {
      'GET /metrics': async () => ({
        status: 200,
        type: 'text/plain; version=0.0.4',
        body: await metrics(),
      }),
    },
  };
};
