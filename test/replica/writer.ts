import { resources } from '../../generated/resources.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { isSelect } from '../../src/engine/references/collection.ts';
import { exampleBody, type Operation, operations } from '../support/operations.ts';
import type { Random } from './random.ts';
import { type Ids, randomised, randomValue } from './values.ts';

/** A request that writes. */
export interface Write {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const table: Readonly<Record<string, Resource>> = resources;

const writes = operations.filter(
  ({ method, open, responses }) =>
    method !== 'GET' &&
    !open &&
    !('410' in responses && !('200' in responses || '201' in responses || '204' in responses)),
);

/** What happens most in a staffing system, and moves what others show. */
const busy = new Set(['projects', 'events', 'event-functions', 'assignments', 'employees']);

const kindOf = ({ verb, method, externalId }: Operation) => {
  if (verb === 'create') return 'creates';
  if (method === 'DELETE') return 'deletes';
  return verb === 'update' && !externalId ? 'updates' : 'actions';
};
const kinds = Map.groupBy(
  writes.flatMap(operation => (busy.has(operation.resource) ? Array(8).fill(operation) : [operation]) as Operation[]),
  kindOf,
);

/** Returns a random write: any operation of the document, with a body of its example or of random values of the right types. */
export const randomWrite = (ids: Ids, random: Random): Write => {
  const turn = random.next();
  const kind = turn < 0.3 ? 'creates' : turn < 0.62 ? 'updates' : turn < 0.68 ? 'deletes' : 'actions';
  const operation = random.pick(kinds.get(kind) ?? []) as Operation;
  const query = new URLSearchParams();
  for (const name of operation.switches) if (random.chance(shares[name] ?? 0)) query.set(name, '1');
  const path = pathOf(operation, ids, random, query);
  const text = query.toString();
  return {
    operation,
    method: operation.method,
    path: text ? `${path}?${text}` : path,
    body: randomBody(operation, ids, random),
  };
};

const shares: Readonly<Record<string, number>> = { dry_run: 0.06, force: 0.6, anonymize: 0.3 };

const pathOf = (
  { resource, parent, path, placeholders, externalId }: Operation,
  ids: Ids,
  random: Random,
  query: URLSearchParams,
) => {
  if (parent?.record?.in === 'query') query.set(parent.record.name, String(random.pick(ids(resource)) ?? 0));
  return placeholders.reduce((text, name, index) => {
    const of = parent && index === 0 ? parent.resource : resource;
    const value = name === externalId ? `x-${random.integer(1, 60)}` : String(random.pick(ids(of)) ?? 0);
    return text.replace(`{${name}}`, value);
  }, path);
};

/** Returns a body of an operation: its example, or random values of the right types; undefined: it has none. */
export const randomBody = (operation: Operation, ids: Ids, random: Random): unknown => {
  const { method, raw, resource, verb, parent } = operation;
  if (raw) return Buffer.from(`note ${random.integer(1, 1e6)}`);
  if (method === 'DELETE' || !hasBody(operation)) return undefined;
  const example = randomised(exampleBody(operation), resource, ids, random) as Record<string, unknown>;
  if (verb !== 'create' && verb !== 'update' && verb !== 'upsert') return example;
  const { fields } = table[resource] as Resource;
  const accepted = fields.filter(
    ({ access }) => access === 'write' || access === (verb === 'update' ? 'update' : 'create'),
  );
  const body: Record<string, unknown> = verb === 'update' ? {} : { ...referring(example, fields, ids, random) };
  for (let count = random.integer(1, 4); count > 0; count--) {
    const field = random.pick(random.chance(0.6) ? shown(accepted) : accepted);
    const value = field && randomValue(field, ids, random);
    if (field && value !== undefined) body[field.name] = value;
  }
  order(body, accepted, random);
  if (parent?.record?.in === 'body') body[parent.record.name] = random.pick(ids(resource)) ?? 0;
  return body;
};

/** The fields whose values other records show or inherit. */
const shown = (fields: readonly Field[]): readonly Field[] => {
  const found = fields.filter(({ name }) =>
    /^(start|end|break_\w+|status|quantity|configurations|\w+_id|name)$/.test(name),
  );
  return found.length > 0 ? found : fields;
};

/** Most intervals are whole and in order. */
const order = (body: Record<string, unknown>, fields: readonly Field[], random: Random): void => {
  if (!fields.some(({ name }) => name === 'end') || random.chance(0.2)) return;
  for (const [start, end] of [
    ['start', 'end'],
    ['break_start', 'break_end'],
  ] as const) {
    const [one, other] = [body[start] ?? body[end], body[end] ?? body[start]].map(value => value as string | undefined);
    if (one == null || other == null) continue;
    const isBreak = start === 'break_start' && typeof body.start === 'string' && typeof body.end === 'string';
    const earlier = one < other ? one : other;
    // Breaks are within the work.
    const first = isBreak ? String(body.start) : earlier;
    const length = isBreak ? (Date.parse(String(body.end)) - Date.parse(first)) / 2 : random.integer(1, 10) * 3_600_000;
    body[start] = first;
    body[end] = new Date(Date.parse(first) + length).toISOString().replace('.000', '');
    if (start === 'break_start') continue;
    for (const name of ['break_start', 'break_end']) if (random.chance(0.7)) delete body[name];
  }
};

const hasBody = (operation: Operation): boolean => {
  try {
    exampleBody(operation);
    return true;
  } catch {
    return false;
  }
};

/** Returns the example with references to records that there are. */
const referring = (
  example: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
  ids: Ids,
  random: Random,
): Record<string, unknown> => {
  const body = { ...example };
  for (const field of fields) {
    if (body[field.name] == null) continue;
    // The values of collections differ between tenants.
    if (isSelect(field)) delete body[field.name];
    else if (field.references || field.referencesOneOf) {
      const value = randomValue({ ...field, nullable: undefined } as unknown as Field, ids, random);
      if (value === undefined) delete body[field.name];
      else body[field.name] = value;
    } else if (field.name === 'external_id') delete body.external_id;
  }
  return body;
};
