import { matchesGlob } from 'node:path';
import type { Difference } from './compare.ts';
import type { Step } from './step.ts';

/** An allowed difference: every given property must match. */
export interface Allowance {
  readonly operation?: string;
  readonly purpose?: string;
  /** The statuses before and after, such as `404 422`. */
  readonly status?: string;
  readonly header?: string;
  /** A path in the body or a glob: `*` matches one segment, `**` any number. */
  readonly bodyPath?: string;
  readonly why: string;
}

interface Group {
  readonly title: string;
  readonly examples: string[];
  count: number;
}

/** Returns the operation (or command) and the purpose of a step. */
export const nameOf = (step: Step): { readonly operation: string; readonly purpose: string } => {
  if (step.kind === 'request') return step;
  return { operation: step.kind, purpose: step.kind === 'command' ? step.args.join(' ') : '' };
};

/** Whether the difference is allowed. */
export const isAllowed = (allowances: readonly Allowance[], step: Step, difference: Difference): boolean => {
  const { operation, purpose } = nameOf(step);
  const { where, what, before, after } = difference;
  return allowances.some(
    allowance =>
      (allowance.operation === undefined || allowance.operation === operation) &&
      (allowance.purpose === undefined || allowance.purpose === purpose) &&
      (allowance.status === undefined || (where === 'status' && allowance.status === `${before} ${after}`)) &&
      (allowance.header === undefined || (where === 'header' && allowance.header === what)) &&
      (allowance.bodyPath === undefined || (where === 'body' && matchesGlob(what, allowance.bodyPath))),
  );
};

/** Groups differences by kind and formats them with examples. */
export class Report {
  readonly #groups = new Map<string, Group>();
  readonly #shown: number;

  /** @param shown the maximum number of examples for each kind */
  constructor(shown: number) {
    this.#shown = shown;
  }

  add(number: number, step: Step, { where, what, before, after }: Difference): void {
    const { operation, purpose } = nameOf(step);
    const title = `${where} ${where === 'status' ? `${before} → ${after}` : what}`;
    const key = `${title} ${where === 'header' ? `${before} ${after}` : ''}`;
    const group = this.#groups.get(key) ?? { title, examples: [], count: 0 };
    this.#groups.set(key, group);
    group.count++;
    if (group.examples.length >= this.#shown) return;
    const request = step.kind === 'request' ? ` ${step.method} ${step.target.slice(0, 150)}` : '';
    const values = where === 'status' ? '' : `\n      before: ${before}\n      after:  ${after}`;
    group.examples.push(`    #${number} ${operation}, ${purpose}:${request}${values}`);
  }

  /** Returns the lines of the report, the most frequent kind first. */
  lines(): readonly string[] {
    return [...this.#groups.values()]
      .sort((a, b) => b.count - a.count)
      .flatMap(({ title, examples, count }) => [`${title}: ${count}`, ...examples]);
  }
}
