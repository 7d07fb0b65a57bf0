import { mergedSections } from '../configurations.ts';
import { type Definitions, firstKey, tenantTable, tenantView } from '../schema.ts';

const flag = 'boolean not null default false';
const instant = 'timestamptz(0)';
const stamp = `timestamptz(0) not null default date_trunc('second', now())`;

/** Who works where and when, and what came of it. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'assignments', {
    columns: {
      employee_id: 'bigint not null',
      event_function_id: 'bigint not null',
      wage_profile_id: 'bigint',
      status: 'integer not null default 1 check (status between 1 and 8)',
      remarks: 'text',
      start: instant,
      end: instant,
      break_start: instant,
      break_end: instant,
      effective_start: instant,
      effective_end: instant,
      is_approved: flag,
      pay_amount: 'numeric(12,2) check (pay_amount >= 0)',
      approved_on: instant,
      approved_by_planner_id: 'bigint',
      paid_on: instant,
      assigned_by_availability: flag,
      auto_assigned: flag,
      statistics: 'text',
      created_at: stamp,
      updated_at: stamp,
    },
    references: {
      employee_id: 'employees',
      event_function_id: 'event_functions',
      wage_profile_id: 'wage_profiles',
      approved_by_planner_id: 'planners',
    },
    unique: [['event_function_id', 'employee_id']],
    indexes: [
      ['employee_id', 'effective_end'],
      ['status', 'id'],
      ['effective_start', 'id'],
    ],
  });
  await tenantTable(db, 'checkins', {
    columns: {
      assignment_id: 'bigint not null',
      timestamp: `${instant} not null`,
      hash: 'text',
      source: 'integer not null check (source in (1, 2))',
      type: 'integer not null check (type between 1 and 4)',
      created_at: stamp,
    },
    references: { assignment_id: 'assignments' },
    unique: [['assignment_id', 'type', 'timestamp']],
  });
  await tenantView(db, 'assignments_view', assignmentsView);
};

const address = (location: string): string =>
  `nullif(concat_ws(', ', nullif(${location}.line_1, ''), nullif(${location}.line_2, ''),
      nullif(concat_ws(' ', nullif(${location}.zip, ''), nullif(${location}.city, '')), ''), nullif(${location}.country, '')), '')`;

/** Postgres drops the joins that a request does not use: each is on a key, and to the left of none that it needs. */
const assignmentsView = `
  select a.tenant_id, a.id, a.employee_id, a.event_function_id,
    f.event_id,
    e.project_id,
    coalesce(e.client_id, p.client_id) as client_id,
    coalesce(e.contact_id, p.contact_id) as contact_id,
    coalesce(e.planner_id, p.planner_id) as planner_id,
    coalesce(f.location_id, e.location_id) as location_id,
    coalesce(a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, w.wage_profile_id) as wage_profile_id,
    a.event_function_id as "event_function.id",
    f.function_id as "event_function.function_id",
    f.description as "event_function.description",
    fl.name as "event_function.location.name",
    coalesce(f.start, e.start) as "event_function.start",
    coalesce(f."end", e."end") as "event_function.end",
    f.is_locked as "event_function.is_locked",
    f.wage_profile_id as "event_function.wage_profile_id",
    t.name as "event_function.function",
    t.project_leader as "event_function.function.project_leader",
    e.name as "event.name",
    e.start as "event.start",
    e."end" as "event.end",
    e.auto_assign_enabled as "event.auto_assign_enabled",
    el.name as "event.location.name",
    c.firstname as "event.contact.first_name",
    c.lastname as "event.contact.last_name",
    s.first_name as "event.planner.first_name",
    s.last_name as "event.planner.last_name",
    p.name as "event.project.name",
    a.status, a.remarks,
    a.effective_start as start,
    a.effective_end as "end",
    coalesce(a.break_start, f.break_start, e.break_start) as break_start,
    coalesce(a.break_end, f.break_end, e.break_end) as break_end,
    a.is_approved, a.pay_amount, a.approved_on, a.approved_by_planner_id, a.paid_on, a.assigned_by_availability,
    a.auto_assigned, a.created_at, a.updated_at,
    jsonb_build_object(
      'assignment_id', a.id,
      'event_id', f.event_id,
      ${mergedSections}
    ) as configurations,
    case when f.location_id is null then ${address('el')} else ${address('fl')} end as location,
    coalesce(a.statistics, (f.holding || '/' || f.quantity) collate "und-x-icu") as statistics
  from assignments a
  left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
  left join events e on e.tenant_id = a.tenant_id and e.id = f.event_id
  left join projects p on p.tenant_id = a.tenant_id and p.id = e.project_id
  left join functions t on t.tenant_id = a.tenant_id and t.id = f.function_id
  left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id
  left join locations fl on fl.tenant_id = a.tenant_id and fl.id = f.location_id
  left join locations el on el.tenant_id = a.tenant_id and el.id = e.location_id
  left join contacts c on c.tenant_id = a.tenant_id and c.id = ${firstKey('e.contact_id', 'p.contact_id')}
  left join planners s on s.tenant_id = a.tenant_id and s.id = ${firstKey('e.planner_id', 'p.planner_id')}`;
