import type { FloorStatement } from './sent.ts';

/** Conditions and orders by hand, by the request's filters in their order; $2 and on are its values. */
const keys: Readonly<Record<string, string>> = {
  event_function_id: `select a.id from assignments a where a.tenant_id = $1 and a.event_function_id = $2::bigint order by a.id limit 51`,
  event_id: `select a.id from event_functions f join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where f.tenant_id = $1 and f.event_id = $2::bigint order by a.id limit 51`,
  employee_id: `select a.id from assignments a where a.tenant_id = $1 and a.employee_id = $2::bigint
    order by a.effective_start, a.id limit 51`,
  'start start': `select a.id from assignments a where a.tenant_id = $1 and a.effective_start >= $2::timestamptz
    and a.effective_start < $3::timestamptz order by a.effective_start, a.id limit 51`,
  id: `select a.id from assignments a where a.tenant_id = $1 and a.id > $2::bigint order by a.id limit 51`,
  'open_actions id': `select a.id from assignments a where a.tenant_id = $1 and a.id > $3::bigint and $2::text is not null
    order by a.id limit 51`,
  'status event.start': `select a.id from events e join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and e.start < $3::timestamptz and a.status = $2::integer order by e.start desc, a.id limit 51`,
  'status event.start event.start': `select a.id from events e join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and e.start >= $3::timestamptz and e.start < $4::timestamptz and a.status = $2::integer
    order by e.start, a.id limit 51`,
  'client_id start': `select a.id from events e join projects p on p.tenant_id = $1 and p.id = e.project_id
    join event_functions f on f.tenant_id = $1 and f.event_id = e.id
    join assignments a on a.tenant_id = $1 and a.event_function_id = f.id
    where e.tenant_id = $1 and coalesce(e.client_id, p.client_id) = $2::bigint and a.effective_start < $3::timestamptz
    order by a.effective_start desc, a.id limit 51`,
  updated_at: `select a.id from assignments a where a.tenant_id = $1 and a.updated_at > $2::timestamptz
    order by a.updated_at, a.id limit 51`,
};

const assignments = (text: string): string => `
with k as materialized (${text}), n as (select k.id, row_number() over () as place from k)
select a.id, a.status, a.employee_id, a.event_function_id, f.event_id, a.effective_start as start, a.effective_end as "end",
  e.name as "event.name", p.name as "event.project.name", t.name as "event_function.function", l.name as "event.location.name",
  a.remarks, a.is_approved, a.created_at, a.updated_at
from n
join assignments a on a.tenant_id = $1 and a.id = n.id
join event_functions f on f.tenant_id = $1 and f.id = a.event_function_id
join events e on e.tenant_id = $1 and e.id = f.event_id
join projects p on p.tenant_id = $1 and p.id = e.project_id
join functions t on t.tenant_id = $1 and t.id = f.function_id
left join locations l on l.tenant_id = $1 and l.id = e.location_id
order by n.place`;

const events = `
select e.id, e.external_id, e.project_id, coalesce(e.client_id, p.client_id) as client_id, e.location_id, e.name, e.status, e.start,
  e."end", p.name as "project.name", l.name as "location.name",
  case when e.status = 5 then '0/' || e.quantity::text else e.filled end as statistics, e.created_at, e.updated_at
from (
  select * from events where tenant_id = $1 and start >= $2::timestamptz and start < $3::timestamptz order by start, id limit 51
) e
join projects p on p.tenant_id = $1 and p.id = e.project_id
left join locations l on l.tenant_id = $1 and l.id = e.location_id
order by e.start, e.id`;

/** The statements of listings with filters, by name. */
export const listings: ReadonlyMap<string, string> = new Map([
  ...Object.entries(keys).map(([filters, text]) => [`assignments by ${filters}`, assignments(text)] as const),
  ['events by start start', events],
]);

const others = new Set(['limit', 'fields', 'sort', 'cursor', 'embed']);

/** Returns the statement of a listing with filters and its values; null: it has none. Its plan is kept. */
export const filteredListing = (resource: string, query: URLSearchParams, tenant: number): FloorStatement | null => {
  const filters = [...query].filter(([name]) => !others.has(name));
  const statement = `${resource} by ${filters.map(([name]) => name.replace('[]', '')).join(' ')}`;
  if (!listings.has(statement)) return null;
  return { statement, values: [tenant, ...filters.map(([, value]) => value.replace(/^[<>]=?/, ''))] };
};
