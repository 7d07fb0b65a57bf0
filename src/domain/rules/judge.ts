import type { Excess, Unit } from './kind.ts';
import { kindOf } from './kinds.ts';
import type { Person, WorkPiece } from './piece.ts';
import type { WorkRule } from './rule.ts';
import { applies, isValid } from './scope.ts';
import { type PersonWork, type Stretch, workOf } from './work.ts';

/** The breach of a rule by the work of one person. */
export interface Breach {
  readonly rule: WorkRule;
  readonly severity: 'error' | 'warning';
  /** `worked` if any of the work was judged by its work times. */
  readonly basis: 'planned' | 'worked';
  /** Rounded up, in the unit. */
  readonly actual: number;
  readonly limit: number;
  readonly unit: Unit;
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The assignment with which the limit is passed; null: a new one. */
  readonly assignmentId: number | null;
  /** The assignment at the other end of a rest; null: none but that one, or a new one. */
  readonly otherAssignmentId: number | null;
  /** The assignments that it is about, but for a new one: that one first, then the nearest; at most 10. */
  readonly assignmentIds: readonly number[];
  /** How far it is from the limit, exactly. */
  readonly distance: number;
  /** What it is about, such as a day; omitted: its time. */
  readonly about?: string;
  /** Whether that are the two ends of a rest. */
  readonly isBetween: boolean;
}

/** The most assignments that a breach names. */
export const NAMED = 10;

/**
 * Returns the breaches of rules by all work of one person, in the order of the rules.
 * Pure. See docs/decisions.md, "Working-time rules".
 */
export const judgeWork = (
  person: Person,
  pieces: readonly WorkPiece[],
  rules: readonly WorkRule[],
): readonly Breach[] => {
  const known = new Map<string, PersonWork>();
  return rules.flatMap(rule => {
    const key = `${rule.basis} ${rule.timeZone}`;
    const work = known.get(key) ?? workOf(pieces, rule.basis, rule.timeZone);
    known.set(key, work);
    if (!work.stretches.some(stretch => isAssignment(stretch) && applies(rule, person, stretch))) return [];
    return kindOf(rule.kind)
      .find(work, rule.parameters)
      .flatMap(finding => breachOf(rule, person, finding));
  });
};

/** Returns the breach of a finding, if the rule applies to some of its work and is valid. */
const breachOf = (rule: WorkRule, person: Person, finding: Excess): Breach | readonly [] => {
  const { actual, limit, unit, from, to, stretches, passing, neighbour, about } = finding;
  // Busy dates are time, but never the subject.
  const own = stretches.filter(isAssignment);
  const last = own.at(-1);
  if (!last || !isValid(rule, last.day) || !own.some(stretch => applies(rule, person, stretch))) return [];
  const subject = isAssignment(passing) ? passing : last;
  const assignmentId = subject.piece.assignmentId;
  const other = neighbour && isAssignment(neighbour) && isAssignment(passing) ? neighbour.piece.assignmentId : null;
  return {
    rule,
    severity: rule.mode === 'refuse' ? 'error' : 'warning',
    basis: own.some(({ worked }) => worked) ? 'worked' : 'planned',
    actual: Math.ceil(actual),
    limit,
    unit,
    from,
    to,
    assignmentId,
    otherAssignmentId: other === assignmentId ? null : other,
    assignmentIds: nearest(own, subject),
    distance: Math.abs(actual - limit),
    isBetween: neighbour !== undefined,
    ...(about !== undefined && { about }),
  };
};

const isAssignment = ({ piece }: Stretch): boolean => piece.busyDateId === null;

const nearest = (stretches: readonly Stretch[], { from }: Stretch): readonly number[] => {
  const ids = stretches
    .toSorted((a, b) => Math.abs(a.from - from) - Math.abs(b.from - from))
    .flatMap(({ piece: { assignmentId } }) => assignmentId ?? []);
  return [...new Set(ids)].slice(0, NAMED);
};

/** Returns the breaches that are caused in the work of one person, in the order of the rules. */
export const breachesCaused = (
  person: Person,
  before: readonly WorkPiece[],
  after: readonly WorkPiece[],
  rules: readonly WorkRule[],
): readonly Breach[] => {
  const found = judgeWork(person, after, rules);
  return found.length === 0 ? [] : causedBy(judgeWork(person, before, rules), found);
};

/** Returns the breaches that a write causes: those that are new, or further from the limit than before. */
export const causedBy = (before: readonly Breach[], after: readonly Breach[]): readonly Breach[] =>
  after.filter(breach => !before.some(known => isSame(known, breach) && known.distance >= breach.distance));

/** Returns whether a breach is another one as it was before a write. */
const isSame = (known: Breach, breach: Breach): boolean => {
  if (known.rule.id !== breach.rule.id || known.unit !== breach.unit || known.limit !== breach.limit) return false;
  // A rest is between two ends, of which one can be a busy date or a new assignment.
  if (breach.isBetween) return known.about === breach.about;
  if (known.assignmentId === breach.assignmentId && known.otherAssignmentId === breach.otherAssignmentId) return true;
  if (known.about !== breach.about) return false;
  return breach.about !== undefined || (known.from < breach.to && breach.from < known.to);
};
