import type { BenchTenant, ListedValues, NumberRange } from '../data.ts';
import { cursorAfter } from './cursors.ts';
import type { BenchRequest, Workload } from './workload.ts';

/** The fields of the workloads of assignments. */
export const fifteen = [
  ...['id', 'status', 'employee_id', 'event_function_id', 'event_id', 'start', 'end', 'event.name'],
  ...['event.project.name', 'event_function.function', 'event.location.name', 'remarks', 'is_approved'],
  ...['created_at', 'updated_at'],
];

/** Those of the workload of events. */
const ofEvents = [
  ...['id', 'external_id', 'project_id', 'client_id', 'location_id', 'name', 'status', 'start', 'end'],
  ...['project.name', 'location.name', 'statistics', 'created_at', 'updated_at'],
];

/** One of the items: another one for each number until all have had their turn. */
const pick = <T>(items: readonly T[], n: number): T => items[(n * 7919) % items.length] as T;

const day = 86_400;

/** A second in a span: another one for each number until all have had their turn. */
const second = ([from, to]: NumberRange, n: number): number => from + ((n * 7919) % Math.max(1, to - from));

const written = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '');

type Filters = readonly (readonly [name: string, value: string])[];

const within = (name: string, from: number, seconds: number): Filters => [
  [name, `>=${written(from)}`],
  [`${name}[]`, `<${written(from + seconds)}`],
];

/** The listings that programs ask for, by the end of the workload's name; each number has other values. */
const listings: Readonly<Record<string, (n: number, listed: ListedValues) => Filters>> = {
  function: (n, { eventFunctions }) => [['event_function_id', String(pick(eventFunctions, n))]],
  event: (n, { events }) => [['event_id', String(pick(events, n))]],
  employee: (n, { employees }) => [
    ['employee_id', String(pick(employees, n))],
    ['sort', 'start'],
  ],
  day: (n, { begins }) => [...within('start', second(begins, n), day), ['sort', 'start']],
  after: n => [['id', `>${(n * 7919) % 190_000}`]],
  latest: (n, { begins }) => [
    ['status', '7'],
    ['event.start', `<${written(second(begins, n))}`],
    ['sort', '-event.start'],
  ],
  week: (n, { begins }) => [
    ['status', '7'],
    ...within('event.start', second(begins, n), 7 * day),
    ['sort', 'event.start'],
  ],
  client: (n, { clients, begins: [, end] }) => [
    ['client_id', String(pick(clients, n))],
    // There are fewer clients than responses that are kept.
    ['start', `<${written(end + 30 * day + n)}`],
    ['sort', '-start'],
  ],
  actions: n => [
    ['open_actions', '-null'],
    ['id', `>${(n * 7919) % 190_000}`],
  ],
  changed: (n, { changes }) => [
    ['updated_at', `>${written(second(changes, n))}`],
    ['sort', 'updated_at'],
  ],
};

const titles: Readonly<Record<keyof typeof listings, string>> = {
  function: '50 assignments of an event function',
  event: '50 assignments of an event',
  employee: '50 assignments of an employee, by start',
  day: '50 assignments of a day, by start',
  after: '50 assignments after an id',
  latest: '50 confirmed assignments, the latest events first',
  week: '50 confirmed assignments of a week of events, by their start',
  client: '50 assignments of a client, the latest first',
  actions: '50 assignments that have open actions',
  changed: '50 assignments changed since a time, by its',
};

const requestOf = (
  tenants: readonly BenchTenant[],
  resource: string,
  fields: readonly string[],
  filters: (listed: ListedValues) => Filters,
): readonly BenchRequest[] => {
  const tenant = tenants.find(({ listed }) => listed);
  if (!tenant?.listed) return [];
  const all: Filters = [['limit', '50'], ['fields', fields.join()], ...filters(tenant.listed)];
  const query = all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return [{ tenant, method: 'GET', path: `/${resource}?${query}` }];
};

/** The workloads of listings with filters and a sort, of a tenant of their own, on one connection. */
export const listingWorkloads: Readonly<Record<string, Workload>> = {
  ...Object.fromEntries(
    Object.entries(listings).map(([name, filters]) => [
      `by-${name}`,
      {
        title: titles[name] ?? name,
        requests: (n, tenants) => requestOf(tenants, 'assignments', fifteen, listed => filters(n, listed)),
        status: 200,
        connections: 1,
        listed: true,
      } satisfies Workload,
    ]),
  ),
  'by-page': {
    title: '50 assignments after a cursor, of the same tenant',
    requests: (n, tenants) =>
      requestOf(tenants, 'assignments', fifteen, () => [['cursor', cursorAfter('assignments', (n * 7919) % 190_000)]]),
    status: 200,
    connections: 1,
    listed: true,
  },
  'events-week': {
    title: '50 events of a week, by start',
    requests: (n, tenants) =>
      requestOf(tenants, 'events', ofEvents, ({ begins }) => [
        ...within('start', second(begins, n), 7 * day),
        ['sort', 'start'],
      ]),
    status: 200,
    connections: 1,
    listed: true,
  },
};
