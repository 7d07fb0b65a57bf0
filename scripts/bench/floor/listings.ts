import type { FloorStatement } from './sent.ts';

/**
 * Selects keys by hand, by the resource and the request's filters in their order.
 * $2 and on are its values.
 */
const keys: Readonly<Record<string, string>> = {
  'assignments by event_function_id': `select a.id from assignments a where a.tenant_id = $1 and a.event_function_id = $2::bigint order by a.id limit 51`,
  'assignments by event_id': `select a.id from event_functions f join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where f.tenant_id = $1 and f.event_id = $2::bigint order by a.id limit 51`,
  'assignments by employee_id': `select a.id from assignments a where a.tenant_id = $1 and a.employee_id = $2::bigint
    order by a.effective_start, a.id limit 51`,
  'assignments by start start': `select a.id from assignments a where a.tenant_id = $1 and a.effective_start >= $2::timestamptz
    and a.effective_start < $3::timestamptz order by a.effective_start, a.id limit 51`,
  'assignments by id': `select a.id from assignments a where a.tenant_id = $1 and a.id > $2::bigint order by a.id limit 51`,
  'assignments by open_actions id': `select a.id from assignments a where a.tenant_id = $1 and a.id > $3::bigint and $2::text is not null
    order by a.id limit 51`,
  'assignments by status event.start': `select a.id from events e join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and e.start < $3::timestamptz and a.status = $2::integer order by e.start desc, a.id limit 51`,
  'assignments by status event.start event.start': `select a.id from events e join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and e.start >= $3::timestamptz and e.start < $4::timestamptz and a.status = $2::integer
    order by e.start, a.id limit 51`,
  'assignments by client_id start': `select a.id from events e join projects p on p.tenant_id = $1 and p.id = e.project_id
    join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and coalesce(e.client_id, p.client_id) = $2::bigint and a.effective_start < $3::timestamptz
    order by a.effective_start desc, a.id limit 51`,
  'assignments by updated_at': `select a.id from assignments a where a.tenant_id = $1 and a.updated_at > $2::timestamptz
    order by a.updated_at, a.id limit 51`,
  'events by start start': `select id from events where tenant_id = $1 and start >= $2::timestamptz and start < $3::timestamptz
    order by start, id limit 51`,
};

/** The records of keys, in their order: $2. */
const records: Readonly<Record<string, string>> = {
  assignments: `
select a.id, a.status, a.employee_id, a.event_function_id, f.event_id, a.effective_start as start, a.effective_end as "end",
  e.name as "event.name", p.name as "event.project.name", t.name as "event_function.function", l.name as "event.location.name",
  a.remarks, a.is_approved, a.created_at, a.updated_at
from unnest($2::bigint[]) with ordinality n(id, place)
join assignments a on a.tenant_id = $1 and a.id = n.id
join event_functions f on f.tenant_id = $1 and f.id = a.event_function_id
join events e on e.tenant_id = $1 and e.id = f.event_id
join projects p on p.tenant_id = $1 and p.id = e.project_id
join functions t on t.tenant_id = $1 and t.id = f.function_id
left join locations l on l.tenant_id = $1 and l.id = e.location_id
order by n.place`,
  events: `
select e.id, e.external_id, e.project_id, coalesce(e.client_id, p.client_id) as client_id, e.location_id, e.name, e.status, e.start,
  e."end", p.name as "project.name", l.name as "location.name",
  case when e.status = 5 then '0/' || e.quantity::text else e.filled end as statistics, e.created_at, e.updated_at
from unnest($2::bigint[]) with ordinality n(id, place)
join events e on e.tenant_id = $1 and e.id = n.id
join projects p on p.tenant_id = $1 and p.id = e.project_id
left join locations l on l.tenant_id = $1 and l.id = e.location_id
order by n.place`,
};

/** The statements of listings with filters, by name. */
export const listings: ReadonlyMap<string, string> = new Map([
  ...Object.entries(keys),
  ...Object.entries(records).map(([resource, text]) => [`${resource} of keys`, text] as const),
]);

const others = new Set(['limit', 'fields', 'sort', 'cursor', 'embed']);

/** The statements of a listing with filters. */
export interface FilteredListing {
  /** Selects the keys, and is planned for its values: one plan for all of them never ends for some. */
  readonly keys: FloorStatement;
  /** Reads the records; its plan is kept, and the keys are its other value. */
  readonly rows: FloorStatement;
}

/** Returns the statements of a listing with filters; null: it has none. */
export const filteredListing = (resource: string, query: URLSearchParams, tenant: number): FilteredListing | null => {
  const filters = [...query].filter(([name]) => !others.has(name));
  const statement = `${resource} by ${filters.map(([name]) => name.replace('[]', '')).join(' ')}`;
  if (!listings.has(statement)) return null;
  const values = [tenant, ...filters.map(([, value]) => value.replace(/^[<>]=?/, ''))];
  return { keys: { statement, values, unnamed: true }, rows: { statement: `${resource} of keys`, values: [tenant] } };
};
