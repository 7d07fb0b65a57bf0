import { type Breach, breachesCaused, judgeWork } from './judge.ts';
import type { Person, WorkPiece } from './piece.ts';
import type { WorkRule } from './rule.ts';
import { nearnessOf } from './rulebook.ts';
import { applies } from './scope.ts';
import { workOf } from './work.ts';

/** Returns the breaches that the added work causes, beside the other work of a person. */
export type JudgeAdded = (person: Person, others: readonly WorkPiece[], added: WorkPiece) => readonly Breach[];

/**
 * Returns what judges work at the same times that is added to the work of many people.
 * It finds what `breachesCaused` does. Where a rule has no other work near, what it finds is the same for all whom it applies to: found once.
 * @param sample the work that is added, whatever its placement
 */
export const judgeOfAdded = (sample: WorkPiece, rules: readonly WorkRule[]): JudgeAdded => {
  const judged = rules.map(rule => {
    const minutes = nearnessOf(rule);
    const [from, to] = [sample.planned.from - minutes * 60, sample.planned.to + minutes * 60];
    const everybody = { ...rule, appliesTo: {}, except: null };
    return { rule, from, to, alone: judgeWork(nobody, [sample], [everybody]) };
  });
  return (person, others, added) => {
    const isNear = judged.map(({ from, to }) => others.some(piece => endOf(piece) > from && startOf(piece) < to));
    const near = rules.filter((_, index) => isNear[index]);
    const caused = near.length > 0 ? breachesCaused(person, others, [...others, added], near) : [];
    return judged.flatMap(({ rule, alone }, index) => {
      if (isNear[index]) return caused.filter(breach => breach.rule === rule);
      if (alone.length === 0) return [];
      const [stretch] = workOf([added], rule.basis, rule.timeZone).stretches;
      return stretch && applies(rule, person, stretch) ? alone.map(breach => ({ ...breach, rule })) : [];
    });
  };
};

const nobody: Person = { id: 0, qualifications: [], birthday: null };

/** Returns when work starts, planned or recorded. */
const startOf = ({ planned, worked }: WorkPiece): number =>
  worked.reduce((least, { from }) => Math.min(least, from), planned.from);

const endOf = ({ planned, worked }: WorkPiece): number =>
  worked.reduce((most, { to }) => Math.max(most, to), planned.to);
