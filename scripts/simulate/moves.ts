import { resources } from '../../generated/resources.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import type { Random } from '../../test/replica/random.ts';
import { randomBody, randomWrite } from '../../test/replica/writer.ts';
import { type Operation, operations } from '../../test/support/operations.ts';
import { marked, namesOf } from './canaries.ts';
import { type CallerMove, type MoveSituation, timesOf } from './situation.ts';

const table: Readonly<Record<string, Resource>> = resources;
let marks = 0;

/** Any operation of the document that writes. */
export const write: CallerMove = ({ random, ids }) => {
  const { operation, method, path, body } = randomWrite(ids, random);
  if (operation.sandbox) return undefined;
  const fits = steady(operation.resource, operation.verb, marked(body, operation.resource, ++marks), random);
  return { method, path, body: fits, operation, ...(Buffer.isBuffer(body) && { type: 'text/plain' }) };
};

/** Keeps the places of a function from shrinking, so that what is overfull has been overbooked. */
const steady = (resource: string, verb: string | undefined, body: unknown, random: Random): unknown => {
  if (typeof body !== 'object' || body === null || Buffer.isBuffer(body)) return body;
  const { overbooking_percent: _, ...rest } = body as Record<string, unknown>;
  if (resource === 'events') return rest;
  if (resource !== 'event-functions') return body;
  const { event_id, quantity, ...own } = rest;
  return verb === 'create' ? { ...own, event_id, quantity: random.integer(1, 3) } : own;
};

const reads = operations.filter(
  ({ method, open, sandbox, responses }) => method === 'GET' && !open && !sandbox && '200' in responses,
);

/** Any operation that reads, with random parameters. */
export const read: CallerMove = ({ random, ids }) => {
  const operation = random.pick(reads) as Operation;
  const { resource, parent, placeholders, queries, path } = operation;
  if (path === '/changes') return undefined;
  const filled = placeholders.reduce(
    (text, name, index) => {
      const of = parent && index === 0 ? parent.resource : resource;
      const value = name === operation.externalId ? `x-${random.integer(1, 60)}` : String(random.pick(ids(of)) ?? 0);
      return text.replace(`{${name}}`, value);
    },
    path.replace('{preset}', 'csv'),
  );
  const query = new URLSearchParams();
  const { fields = [], relations = [] } = table[resource] ?? {};
  const name = () => random.pick(fields)?.name ?? 'id';
  if (parent?.record?.in === 'query') query.set(parent.record.name, String(random.pick(ids(resource)) ?? 0));
  if (queries.includes('fields') && random.chance(0.3)) query.set('fields', `${name()},${name()}`);
  if (queries.includes('sort') && random.chance(0.3)) query.set('sort', `${random.pick(['', '-', '~'])}${name()}`);
  if (queries.includes('embed') && random.chance(0.4)) query.set('embed', random.pick(relations)?.name ?? 'x');
  if (queries.includes('count') && random.chance(0.2)) query.set('count', 'true');
  const text = query.toString();
  return { method: 'GET', path: text ? `${filled}?${text}` : filled, operation };
};

const importing = operations
  .filter(({ verb }) => verb === 'import')
  // Mostly what has hidden fields.
  .flatMap(operation => Array<Operation>(table[operation.resource]?.fields.some(isTold) ? 4 : 1).fill(operation));

function isTold({ sensitive, name, access }: Field): boolean {
  return access === 'write' && sensitive !== undefined && namesOf(sensitive).includes(name);
}

/** An import of random rows, some of them with mistyped names of fields. */
export const importRows: CallerMove = ({ random, ids }) => {
  const operation = random.pick(importing) as Operation;
  const create = operations.find(({ resource, verb }) => resource === operation.resource && verb === 'create');
  if (!create) return undefined;
  const rows = Array.from({ length: random.integer(1, 4) }, () => {
    const body = marked(randomBody(create, ids, random), operation.resource, ++marks) as Record<string, unknown>;
    return steady(
      operation.resource,
      'create',
      random.chance(0.5) ? mistyped(body, operation.resource, random) : body,
      random,
    );
  });
  const body = Buffer.from(rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  return { method: 'POST', path: operation.path, body, type: 'application/x-ndjson', operation };
};

/** Adds a member whose name is nearly that of a field, or a value that the field can't have. */
const mistyped = (body: Record<string, unknown>, resource: string, random: Random): Record<string, unknown> => {
  const written = (table[resource]?.fields ?? []).filter(({ access }) => access === 'write');
  const telling = written.filter(({ sensitive, name }) => sensitive && namesOf(sensitive).includes(name));
  const field = random.pick(telling.length > 0 ? telling : written);
  if (!field) return body;
  return random.chance(0.5) ? { ...body, [field.name.slice(0, -1)]: 'x' } : { ...body, [field.name]: [1] };
};

/** Books a person: a new assignment, or a status that holds a place. */
export const book: CallerMove = ({ random, ids }) => {
  const force = random.chance(0.1) ? '?force=true' : '';
  const id = random.pick(ids('assignments'));
  // Some people are much in demand, so that their work collides.
  const people = random.chance(0.6) ? ids('employees').slice(0, 4) : ids('employees');
  const [employee_id, event_function_id] = [random.pick(people), random.pick(ids('event-functions'))];
  const status = random.pick([5, 6, 6, 6, 7]);
  const turn = random.next();
  if (turn < 0.1) return { method: 'POST', path: '/event-functions', body: functionOf(random, ids) };
  if (turn < 0.7 && employee_id && event_function_id)
    return { method: 'POST', path: `/assignments${force}`, body: { employee_id, event_function_id, status } };
  if (!id) return undefined;
  if (turn < 0.85) return { method: 'PUT', path: `/assignments/${id}/status${force}`, body: { status } };
  if (turn < 0.95) return { method: 'PUT', path: `/assignments/${id}/time${force}`, body: timesOf(random) };
  return {
    method: 'PUT',
    path: `/event-functions/${random.pick(ids('event-functions'))}${force}`,
    body: timesOf(random),
  };
};

const functionOf = (random: Random, ids: MoveSituation['ids']): object => ({
  event_id: random.pick(ids('events')),
  function_id: random.pick(ids('functions')),
  quantity: random.integer(1, 3),
  wage_profile_id: random.pick(ids('wage-profiles')) ?? null,
  ...timesOf(random),
});

const triggers = ['assignment.status_changed', 'checkin.created', 'record.changed', 'function.understaffed'];

/** Writes an automation. */
export const automate: CallerMove = ({ random, ids }) => {
  const routine = random.pick(['webhook.post', 'assignment.set_status', 'function.lock']) as string;
  const configuration = {
    'webhook.post': { url: 'https://hooks.example.com/a' },
    'assignment.set_status': { status: random.pick([5, 7]) },
    'function.lock': {},
  }[routine];
  const body = {
    trigger_type: random.pick(triggers),
    trigger_configuration: '{}',
    routine_type: routine,
    routine_configuration: JSON.stringify(configuration),
  };
  const known = random.pick(ids('automations'));
  if (known && random.chance(0.3)) return { method: 'PUT', path: `/automations/${known}`, body };
  return { method: 'POST', path: '/automations', body };
};

/** Reads the results of imports. */
export const readResults: CallerMove = ({ random, ids }) => {
  const id = random.pick(ids('imports'));
  return id === undefined ? undefined : { method: 'GET', path: `/imports/${id}/results` };
};

/** Asks for a field that is hidden from the user, or nearly so: the error must say nothing of it. */
export const guess: CallerMove = ({ random, user }) => {
  const category = random.pick(user.view.hidden);
  const name = category && random.pick(namesOf(category));
  const resource = Object.values(resources).find(({ fields }) => fields.some(field => field.name === name));
  return name && resource ? { method: 'GET', path: `/${resource.name}?fields=${name.slice(0, -1)}` } : undefined;
};
