import type { components } from '../../../generated/api.ts';
import type { Breach } from './judge.ts';

/** A breach as requests and the history show it. */
export type ShownBreach = components['schemas']['WorkRuleBreach'];

/** Returns a breach as requests show it. */
export const shownBreach = (breach: Breach): ShownBreach => ({
  rule_id: breach.rule.id,
  kind: breach.rule.kind,
  basis: breach.basis,
  actual: breach.actual,
  limit: breach.limit,
  unit: breach.unit,
  start: instantOf(breach.from),
  end: instantOf(breach.to),
  assignment_ids: [...breach.assignmentIds],
});

const instantOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
