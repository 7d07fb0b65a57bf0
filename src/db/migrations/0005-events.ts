import { type Definitions, firstKey, tenantTable, tenantView } from '../schema.ts';

const flag = 'boolean not null default false';
const instant = 'timestamptz(0)';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;
const meta = { created_at: stamp, updated_at: stamp };
const counter = 'integer not null default 0';
const inherited = { configurations: 'jsonb', reporting_form_ids: 'jsonb' };

/** What clients book staff for: projects, their events, and whom these need. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'projects', {
    columns: {
      name: 'text not null',
      client_id: 'bigint',
      contact_id: 'bigint',
      planner_id: 'bigint',
      description: 'text',
      external_id: 'text',
      ...inherited,
      ...meta,
    },
    references: { client_id: 'clients', contact_id: 'contacts', planner_id: 'planners' },
    indexes: [['name']],
  });
  await tenantTable(db, 'events', {
    columns: {
      project_id: 'bigint not null',
      client_id: 'bigint',
      contact_id: 'bigint',
      planner_id: 'bigint',
      location_id: 'bigint',
      name: 'text not null',
      description: 'text',
      status: 'integer not null default 1 check (status in (1, 2, 3, 5))',
      start: `${instant} not null`,
      end: `${instant} not null constraint events_end_check check ("end" >= start)`,
      break_start: instant,
      break_end: instant,
      is_locked: flag,
      auto_assign_enabled: flag,
      auto_assign_mode: `text not null default 'assigned'`,
      overbooking_percent: `${counter} check (overbooking_percent >= 0)`,
      holding: counter,
      quantity: counter,
      ...inherited,
      ...meta,
    },
    references: {
      project_id: 'projects',
      client_id: 'clients',
      contact_id: 'contacts',
      planner_id: 'planners',
      location_id: 'locations',
    },
    indexes: [['name'], ['start'], ['status', 'start'], ['project_id', 'start']],
  });
  await tenantTable(db, 'event_functions', {
    columns: {
      event_id: 'bigint not null',
      function_id: 'bigint not null',
      shift_name: 'text',
      description: 'text',
      quantity: 'integer not null check (quantity >= 0)',
      start: instant,
      end: `${instant} constraint event_functions_end_check check ("end" >= start)`,
      break_start: instant,
      break_end: instant,
      location_id: 'bigint',
      wage_profile_id: 'bigint',
      is_locked: flag,
      required_qualifications: `jsonb not null default '[]'`,
      holding: counter,
      ...meta,
    },
    references: {
      event_id: 'events',
      function_id: 'functions',
      location_id: 'locations',
      wage_profile_id: 'wage_profiles',
    },
  });
  await tenantView(db, 'projects_view', projectsView);
  await tenantView(db, 'events_view', eventsView);
  await tenantView(db, 'event_functions_view', eventFunctionsView);
};

/**
 * Events are grouped by the project alone, which is of one tenant: the tenant of a query is a constant, and by the project and the tenant
 * Postgres could not tell that the join adds no rows, and would do it even where neither time is asked for.
 */
const projectsView = `
  select p.*, c.company as "client.company", s.start::timestamptz(0) as start, s."end"::timestamptz(0) as "end"
  from projects p
  left join clients c on c.tenant_id = p.tenant_id and c.id = p.client_id
  left join (
    select min(tenant_id) as tenant_id, project_id, min(start) as start, max("end") as "end" from events group by project_id
  ) s on s.tenant_id = p.tenant_id and s.project_id = p.id`;

const eventsView = `
  select e.tenant_id, e.id, e.project_id,
    coalesce(e.client_id, p.client_id) as client_id,
    coalesce(e.contact_id, p.contact_id) as contact_id,
    coalesce(e.planner_id, p.planner_id) as planner_id,
    e.location_id, e.name, e.description, e.status, e.start, e."end", e.break_start, e.break_end, e.is_locked,
    e.auto_assign_enabled, e.auto_assign_mode, e.overbooking_percent,
    coalesce(e.configurations, p.configurations) as configurations,
    coalesce(e.reporting_form_ids, p.reporting_form_ids) as reporting_form_ids,
    p.name as "project.name",
    l.name as "location.name",
    c.firstname as "contact.first_name",
    c.lastname as "contact.last_name",
    s.first_name as "planner.first_name",
    s.last_name as "planner.last_name",
    (e.holding || '/' || e.quantity) collate "und-x-icu" as statistics,
    e.created_at, e.updated_at
  from events e
  left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
  left join locations l on l.tenant_id = e.tenant_id and l.id = e.location_id
  left join contacts c on c.tenant_id = e.tenant_id and c.id = ${firstKey('e.contact_id', 'p.contact_id')}
  left join planners s on s.tenant_id = e.tenant_id and s.id = ${firstKey('e.planner_id', 'p.planner_id')}`;

const eventFunctionsView = `
  select f.tenant_id, f.id, f.event_id, f.function_id,
    t.name as "function",
    t.project_leader as "function.project_leader",
    f.shift_name, f.description, f.quantity,
    coalesce(f.start, e.start) as start,
    coalesce(f."end", e."end") as "end",
    coalesce(f.break_start, e.break_start) as break_start,
    coalesce(f.break_end, e.break_end) as break_end,
    f.location_id,
    l.name as "location.name",
    f.wage_profile_id, f.is_locked, f.required_qualifications,
    e.name as "event.name",
    p.name as "event.project.name",
    (f.holding || '/' || f.quantity) collate "und-x-icu" as statistics,
    f.created_at, f.updated_at
  from event_functions f
  left join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
  left join projects p on p.tenant_id = f.tenant_id and p.id = e.project_id
  left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
  left join locations l on l.tenant_id = f.tenant_id and l.id = f.location_id`;
