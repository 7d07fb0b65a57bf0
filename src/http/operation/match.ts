import findMyWay from 'find-my-way';
import { parseId } from '../../core/ids.ts';
import type { Operation } from './operation.ts';

export type Params = Readonly<Record<string, number | string>>;

export interface Match {
  readonly operation: Operation;
  readonly params: Params;
}

/** The operations under one path. */
interface PathItem {
  readonly operations: Map<string, Operation>;
  readonly ids: ReadonlySet<string>;
}

/** No operation. */
export interface Missing {
  readonly operation: null;
  /** The methods that the path has in place of the one asked for, as an Allow header lists them; empty: nothing is there. */
  readonly allow: string;
}

/** What is at a path. */
export type Found = Match | Missing;

/**
 * Finds the operation of a path (relative to the API's, not decoded) and a method. A path without placeholders wins over one with
 * them; a trailing slash is part of the path.
 */
export const createFinder = (operations: readonly Operation[]): ((method: string, path: string) => Found) => {
  const items = new Map<string, PathItem>();
  for (const operation of operations) {
    const item = items.get(operation.path) ?? { operations: new Map(), ids: operation.idNames };
    item.operations.set(operation.method.toUpperCase(), operation);
    items.set(operation.path, item);
  }
  const router = findMyWay();
  for (const [path, item] of items) router.on('GET', path.replaceAll(/\{([^}]+)\}/g, ':$1'), () => {}, item);

  return (method, path) => {
    const found = isPlain(path) ? router.find('GET', path) : null;
    if (!found) return nothing;
    const { operations, ids } = found.store as PathItem;
    const params = readParams(found.params, ids);
    if (!params) return nothing;
    const operation = operations.get(method === 'HEAD' ? 'GET' : method);
    return operation ? { operation, params } : { operation: null, allow: allow([...operations.keys()]) };
  };
};

const nothing: Missing = { operation: null, allow: '' };

/** The router would take a `?` or `#` for the end of the path. */
const isPlain = (path: string): boolean => path.startsWith('/') && !/[?#]/.test(path);

/** Null: an id that is none, or a text that no record can have, since the database holds no NUL. */
const readParams = (raw: Readonly<Record<string, string | undefined>>, ids: ReadonlySet<string>): Params | null => {
  const params: Record<string, number | string> = {};
  for (const [name, text = ''] of Object.entries(raw)) {
    const value = ids.has(name) ? parseId(text) : text;
    if (value === null || value === '' || text.includes('\0')) return null;
    params[name] = value;
  }
  return params;
};

const order = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** The value of an Allow header for these methods: HEAD is there wherever GET is. */
const allow = (methods: readonly string[]): string => {
  const all = new Set(methods);
  if (all.has('GET')) all.add('HEAD');
  return [...all].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ');
};
