import findMyWay from 'find-my-way';
import { parseId } from '../../core/ids.ts';
import { root } from '../../core/root.ts';
import type { Operation } from './operation.ts';

type Params = Readonly<Record<string, number | string>>;

export interface Match {
  readonly operation: Operation;
  readonly params: Params;
}

/** Characters of a placeholder's value: more than ids and tokens have, for errors that say so. */
const MAX_PARAMETER = 1000;

/** The operations under one path. */
interface PathItem {
  readonly operations: Map<string, Operation>;
  readonly ids: ReadonlySet<string>;
}

/** No operation matches. */
export interface Missing {
  readonly operation: null;
  /** The methods that the path supports, as the value of Allow; empty: no such path. */
  readonly allow: string;
}

/** The result of looking up an operation. */
export type MatchResult = Match | Missing;

/**
 * Returns a function that finds the operation of a method and an encoded path below the API's root.
 * A path without placeholders takes precedence over one with placeholders; a trailing slash is significant.
 */
export const createFinder = (operations: readonly Operation[]): ((method: string, path: string) => MatchResult) => {
  const items = new Map<string, PathItem>();
  for (const operation of operations) {
    const item = items.get(operation.path) ?? { operations: new Map(), ids: operation.idNames };
    item.operations.set(operation.method.toUpperCase(), operation);
    items.set(operation.path, item);
  }
  const router = findMyWay({ maxParamLength: MAX_PARAMETER });
  for (const [path, item] of items) router.on('GET', path.replaceAll(/\{([^{}]+)\}/g, ':$1'), () => {}, item);

  return (method, path) => {
    // The router would treat a `?` or `#` as the end of the path.
    const found = path.startsWith('/') && !/[?#]/.test(path) ? router.find('GET', path) : null;
    if (!found) return nothing;
    const { operations, ids } = found.store as PathItem;
    const params = readParams(found.params, ids);
    if (!params) return nothing;
    const operation = operations.get(method === 'HEAD' ? 'GET' : method);
    return operation ? { operation, params } : { operation: null, allow: allow([...operations.keys()]) };
  };
};

const nothing: Missing = { operation: null, allow: '' };

/** Returns null for an invalid id, an empty value or one with NUL, which the database cannot store. */
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

/** Returns the value of an Allow header for these methods; GET implies HEAD. */
const allow = (methods: readonly string[]): string => {
  const all = new Set(methods);
  if (all.has('GET')) all.add('HEAD');
  return [...all].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ');
};

/** Returns the headers of a deprecated operation (RFC 9745, RFC 5829). */
export const deprecationHeaders = ({ operation, params }: Match): Readonly<Record<string, string>> => {
  const { deprecatedSince: since, successor } = operation;
  return {
    deprecation: `@${Math.floor(Date.parse(since ?? '') / 1000)}`,
    ...(successor !== undefined && { link: `<${root}${fillIn(successor, params)}>; rel="successor-version"` }),
  };
};

/** Checks that a deprecated operation has the date that the header needs. @throws Error if it has none */
export const checkDeprecation = ({ operationId, deprecated, deprecatedSince: since }: Operation): void => {
  if (deprecated && Number.isNaN(Date.parse(since ?? '')))
    throw new Error(`${operationId} is deprecated: its traits must have the date since when.`);
};

const fillIn = (path: string, params: Params): string =>
  path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
