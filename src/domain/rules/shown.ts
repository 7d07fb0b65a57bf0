import type { components } from '../../../generated/api.ts';
import { type Access, isAllowed } from '../../core/resource/access.ts';
import { instantAt } from '../../core/time.ts';
import type { Breach } from './judge.ts';

/** A breach as requests and the history show it. */
export type ShownBreach = components['schemas']['WorkRuleBreach'];

/** Returns a breach as requests show it. */
export const shownBreach = (breach: Breach): Required<ShownBreach> => ({
  rule_id: breach.rule.id,
  kind: breach.rule.kind,
  basis: breach.basis,
  actual: breach.actual,
  limit: breach.limit,
  unit: breach.unit,
  start: instantAt(breach.from),
  end: instantAt(breach.to),
  assignment_ids: [...breach.assignmentIds],
});

/**
 * Returns a breach as an API user may see it.
 * Who cannot read assignments does not see which of them it is about, nor their times. See docs/decisions.md, "Sensitive fields".
 */
export const presentedBreach = (breach: ShownBreach, access: Access): ShownBreach =>
  isAllowed(access, 'assignments', 'read') ? breach : verdictOf(breach);

/** Returns the `warnings` of a response, as an API user may see them; without breaches, it has none. */
export const presentedWarnings = (warned: readonly ShownBreach[], access: Access) =>
  warned.length > 0 ? { warnings: warned.map(breach => presentedBreach(breach, access)) } : {};

/** Returns what of a breach is no data of assignments. */
const verdictOf = ({ start: _, end: __, assignment_ids: ___, ...verdict }: ShownBreach): ShownBreach => verdict;
