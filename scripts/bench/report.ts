import { floors } from './contestants.ts';

/** What was measured of a contestant in a workload: medians of the rounds. */
export interface Measured {
  readonly workload: string;
  readonly contestant: string;
  /** CPU milliseconds of each request: own, and with Postgres; null where Postgres is on another machine. */
  readonly ownMs: number;
  readonly cpuMs: number | null;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMiB: number;
}

/** A row of the report. */
export interface ReportRow extends Measured {
  /** CPU against that of the floors. */
  readonly ratioToFloor: number | null;
  readonly ratioToWireFloor: number | null;
}

/** Returns the middle of numbers. */
export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
};

/** Adds the ratios to the floors of the same workload. */
export const withRatios = (all: readonly Measured[]): readonly ReportRow[] =>
  all.map(one => {
    const ratio = (contestant: string): number | null => {
      const floor = all.find(other => other.workload === one.workload && other.contestant === contestant);
      return floor && one.cpuMs !== null && floor.cpuMs !== null ? one.cpuMs / floor.cpuMs : null;
    };
    return { ...one, ratioToFloor: ratio(floors.objects), ratioToWireFloor: ratio(floors.wire) };
  });

const columns: readonly [title: string, cell: (row: ReportRow) => string][] = [
  ['workload', row => row.workload],
  ['contestant', row => row.contestant],
  ['CPU ms', row => shown(row.cpuMs)],
  ['own', row => shown(row.ownMs)],
  ['Postgres', row => shown(row.cpuMs === null ? null : row.cpuMs - row.ownMs)],
  ['req/s', row => shown(row.requestsPerSecond)],
  ['p50 ms', row => shown(row.p50Ms)],
  ['p99 ms', row => shown(row.p99Ms)],
  ['MiB', row => shown(row.rssMiB)],
  ['to floor', row => shown(row.ratioToFloor)],
  ['to wire floor', row => shown(row.ratioToWireFloor)],
];

const shown = (number: number | null): string => {
  if (number === null || !Number.isFinite(number)) return '–';
  return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
};

/** The lines of a table. */
export const tableOf = (rows: readonly ReportRow[]): readonly string[] =>
  aligned([columns.map(([title]) => title), ...rows.map(row => columns.map(([, cell]) => cell(row)))], 2);

/** Returns lines of cells in columns of equal width; the first `texts` are aligned to the left. */
export const aligned = (lines: readonly (readonly string[])[], texts = 0): readonly string[] => {
  const widths = (lines[0] ?? []).map((_, index) => Math.max(...lines.map(line => line[index]?.length ?? 0)));
  return lines.map(line =>
    line
      .map((cell, index) => (index < texts ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** The rows as JSON. */
export const jsonOf = (rows: readonly ReportRow[]): string =>
  `${JSON.stringify({ rows: rows.map(({ ownMs: _, ...row }) => row) }, null, 2)}\n`;
