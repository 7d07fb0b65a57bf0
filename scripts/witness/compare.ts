import { headersOf, mask } from './mask.ts';
import { parse } from './refer.ts';
import type { Renaming } from './renaming.ts';
import type { StepResult } from './step.ts';

/** A difference between two results. */
export interface Difference {
  /** `status`, `header` or `body`. */
  readonly where: 'status' | 'header' | 'body';
  /** The name of the header, or the path in the body with `*` for list positions. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** The renamed ids, and the resource that a field named `id` belongs to. */
export interface RenamedIds {
  readonly renaming: Renaming;
  readonly resource: string;
}

/**
 * Returns the differences between two results of the same step.
 * Compared are the status, each header, and each path in the body once. With `ids`, ids of records may differ if each
 * one is replaced consistently.
 */
export const compareResults = (
  before: StepResult,
  after: StepResult,
  ids: RenamedIds | null = null,
): readonly Difference[] => {
  const differences: Difference[] = [];
  const add = (where: Difference['where'], what: string, old: unknown, new_: unknown) =>
    differences.push({ where, what, before: show(old), after: show(new_) });

  if (before.status !== after.status) add('status', 'status', before.status, after.status);
  const bodies = [mask(before.body), mask(after.body)] as const;
  const places = [...compareBodies(...bodies, ids)];
  for (const place of places) add('body', place.path, place.before, place.after);
  const renamed = ids !== null && places.length === 0 && bodies[0] !== bodies[1];
  const [old, new_] = [headersOf(before), headersOf(after)];
  for (const name of new Set([...Object.keys(old), ...Object.keys(new_)])) {
    if (old[name] === new_[name] || (renamed && ofRepresentation.includes(name))) continue;
    if (!ids?.renaming.matchesText(old[name] ?? '', new_[name] ?? '')) add('header', name, old[name], new_[name]);
  }
  return differences;
};

/** Headers that change if an id in the body changes. */
const ofRepresentation = ['etag', 'content-length'];

interface ComparedValues {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const compareBodies = (before: string, after: string, ids: RenamedIds | null): Iterable<ComparedValues> => {
  if (before === after && !ids) return [];
  const [old, new_] = [parse(before), parse(after)];
  if (old !== undefined && new_ !== undefined) {
    const places = new Map<string, ComparedValues>();
    for (const place of differing(old, new_, '', ids)) if (!places.has(place.path)) places.set(place.path, place);
    if (places.size > 0) return places.values();
    return before === after || ids?.renaming.matchesText(before, after) ? [] : [{ path: 'text', before, after }];
  }
  if (before === after || ids?.renaming.matchesText(before, after)) return [];
  const index = [...before].findIndex((character, at) => after[at] !== character);
  const from = Math.max(0, (index < 0 ? before.length : index) - 30);
  return [{ path: 'text', before: before.slice(from, from + 200), after: after.slice(from, from + 200) }];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object';

function* differing(before: unknown, after: unknown, path: string, ids: RenamedIds | null): Generator<ComparedValues> {
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    const same = ids ? isSameId(before, after, path, ids) : null;
    if (!(same ?? before === after)) yield { path: path || '/', before, after };
    return;
  }
  const [old, new_] = [Object.keys(before), Object.keys(after)];
  const shared = old.filter(key => key in after);
  for (const key of new Set([...old, ...new_])) {
    yield* differing(before[key], after[key], `${path}/${Array.isArray(before) ? '*' : key}`, ids);
  }
  const order = new_.filter(key => key in before);
  if (shared.join() !== order.join()) yield { path: `${path}/ (order)`, before: shared.join(), after: order.join() };
}

/** Whether two ids belong to the same record; null if the values are not ids. */
const isSameId = (
  before: unknown,
  after: unknown,
  path: string,
  { renaming, resource }: RenamedIds,
): boolean | null => {
  const [name = ''] = /[^/]*(?=(?:\/\*)?$)/.exec(path) ?? [];
  if (typeof before !== 'number' || typeof after !== 'number') return null;
  // A nested `id` belongs to an embedded record.
  if (name === 'id') return renaming.matches(/^(?:\/\*)?\/id$/.test(path) ? resource : path, before, after);
  return /_ids?$/.test(name) ? renaming.matches(name.replace(/s$/, ''), before, after) : null;
};

const show = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
