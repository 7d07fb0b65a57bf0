import { type Breach, breachesCaused, judgeWork } from './judge.ts';
import type { Company } from './kind.ts';
import { kindOf } from './kinds.ts';
import type { Person, Times, WorkPiece } from './piece.ts';
import type { WorkRule } from './rule.ts';
import { nearnessOf } from './rulebook.ts';
import { applies } from './scope.ts';
import { workOf } from './work.ts';

/** Returns the breaches that the added work causes, beside the other work of a person. */
export type JudgeAdded = (person: Person, others: readonly WorkPiece[], added: WorkPiece) => readonly Breach[];

/**
 * Returns what judges work at the same times that is added to the work of many people.
 * It finds what `breachesCaused` does. Where a rule cannot be broken together with other work, what it finds is the same for all whom it
 * applies to: found once.
 * @param sample the work that is added, whatever its placement
 */
export const judgeOfAdded = (sample: WorkPiece, rules: readonly WorkRule[]): JudgeAdded => {
  const judged = rules.map(rule => {
    const alone = judgeWork(nobody, [sample], [{ ...rule, appliesTo: {}, except: null }]);
    const { canExceed = () => true } = kindOf(rule.kind);
    const near = nearnessOf(rule);
    const matters = (company: Company): boolean =>
      company.gap < near && (alone.length > 0 || canExceed(rule.parameters, company));
    return { rule, alone, matters };
  });
  const isHarmless = judged.every(({ alone }) => alone.length === 0);
  return (person, others, added) => {
    const company = companyOf(sample, others);
    const together = judged.filter(({ matters }) => matters(company)).map(({ rule }) => rule);
    const caused = together.length > 0 ? breachesCaused(person, others, [...others, added], together) : [];
    if (caused.length === 0 && isHarmless) return caused;
    return judged.flatMap(({ rule, alone }) => {
      if (together.includes(rule)) return caused.filter(breach => breach.rule === rule);
      if (alone.length === 0) return [];
      const [stretch] = workOf([added], rule.basis, rule.timeZone).stretches;
      return stretch && applies(rule, person, stretch) ? alone.map(breach => ({ ...breach, rule })) : [];
    });
  };
};

const nobody: Person = { id: 0, qualifications: [], birthday: null };

/** Returns what work is around some work. */
const companyOf = ({ planned: own }: WorkPiece, others: readonly WorkPiece[]): Company => {
  const length = own.to - own.from;
  let [gap, pieces, seconds] = [Number.POSITIVE_INFINITY, 1, length];
  const meet = ({ from, to }: Times): void => {
    gap = Math.min(gap, Math.max(0, own.from - to, from - own.to));
    pieces += 1;
    seconds += to - from;
  };
  for (const { planned, worked } of others) {
    meet(planned);
    for (const times of worked) meet(times);
  }
  return { gap: gap / 60, own: length / 60, pieces, minutes: seconds / 60 };
};
