import { headersOf, mask } from './mask.ts';
import { parse } from './refer.ts';
import type { Result } from './step.ts';

/** One way in which two results differ. */
export interface Difference {
  /** `status`, `header` or `body`. */
  readonly where: 'status' | 'header' | 'body';
  /** The header's name, or the path in the body, list positions as `*`. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** What differs between two results of the same step: the status, each header, and each kind of place in the body, once. */
export const compareResults = (before: Result, after: Result): readonly Difference[] => {
  const differences: Difference[] = [];
  const add = (where: Difference['where'], what: string, old: unknown, new_: unknown) =>
    differences.push({ where, what, before: show(old), after: show(new_) });

  if (before.status !== after.status) add('status', 'status', before.status, after.status);
  const [old, new_] = [headersOf(before), headersOf(after)];
  for (const name of new Set([...Object.keys(old), ...Object.keys(new_)])) {
    if (old[name] !== new_[name]) add('header', name, old[name], new_[name]);
  }
  for (const place of compareBodies(mask(before.body), mask(after.body))) {
    add('body', place.path, place.before, place.after);
  }
  return differences;
};

interface Place {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const compareBodies = (before: string, after: string): Iterable<Place> => {
  if (before === after) return [];
  const [old, new_] = [parse(before), parse(after)];
  if (old !== undefined && new_ !== undefined) {
    const places = new Map<string, Place>();
    for (const place of differing(old, new_, '')) if (!places.has(place.path)) places.set(place.path, place);
    return places.size > 0 ? places.values() : [{ path: 'text', before, after }];
  }
  const index = [...before].findIndex((character, at) => after[at] !== character);
  const from = Math.max(0, (index < 0 ? before.length : index) - 30);
  return [{ path: 'text', before: before.slice(from, from + 200), after: after.slice(from, from + 200) }];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object';

function* differing(before: unknown, after: unknown, path: string): Generator<Place> {
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (before !== after) yield { path: path || '/', before, after };
    return;
  }
  const [old, new_] = [Object.keys(before), Object.keys(after)];
  const shared = old.filter(key => key in after);
  for (const key of new Set([...old, ...new_])) {
    yield* differing(before[key], after[key], `${path}/${Array.isArray(before) ? '*' : key}`);
  }
  const order = new_.filter(key => key in before);
  if (shared.join() !== order.join()) yield { path: `${path}/ (order)`, before: shared.join(), after: order.join() };
}

const show = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
