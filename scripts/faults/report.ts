import type { Deployment } from './deployment.ts';
import type { FaultOutcome } from './trial.ts';

/** A fault on a deployment and what came of it. */
export interface FaultLine {
  readonly name: string;
  readonly deployment: Deployment;
  /** Why it was skipped; null: it was not. */
  readonly obstacle: string | null;
  readonly outcome: FaultOutcome | null;
  readonly seconds: number;
}

const heads = [
  'Fault',
  'On',
  'Times',
  'Acknowledged',
  'Lost',
  'Rejected',
  'Repeated',
  'Followed',
  'Seconds',
  'Verdict',
];

const cellsOf = ({ name, deployment, obstacle, outcome, seconds }: FaultLine): readonly string[] => {
  if (!outcome) return [name, deployment, '', '', '', '', '', '', '', `skipped: ${obstacle}`];
  const { happened, acknowledged, lost, rejected, repeats, changes, violations } = outcome;
  const counts = [acknowledged, lost, rejected, repeats, changes, Math.round(seconds)].map(String);
  return [name, deployment, happened, ...counts, violations.length === 0 ? 'held' : `BROKEN: ${violations.length}`];
};

/** Returns the lines of a table: a head, and a line for each. */
export const faultTable = (lines: readonly FaultLine[]): readonly string[] => {
  const rows = [heads, heads.map(() => '---'), ...lines.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
};
