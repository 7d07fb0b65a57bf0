create view event_functions_own with (security_invoker = true) as
select f.tenant_id, f.id, f.external_id, f.event_id, f.function_id, f.shift_name, f.description, f.quantity, f.filled,
  f.start as own_start,
  f."end" as own_end,
  f.break_start as own_break_start,
  f.break_end as own_break_end,
  f.location_id, f.wage_profile_id, f.is_locked, f.required_qualifications, f.created_at, f.updated_at
from event_functions f;
grant select on event_functions_own to staffing_tenant;

-- With what assignments have from the event.
create view event_functions_planned with (security_invoker = true) as
select f.*,
  coalesce(f.own_start, e.start) as start,
  coalesce(f.own_end, e."end") as "end",
  coalesce(f.own_break_start, e.break_start) as break_start,
  coalesce(f.own_break_end, e.break_end) as break_end,
  coalesce(f.location_id, e.location_id) as effective_location_id,
  places_filled(e.status, f.filled, f.quantity) collate "und-x-icu" as statistics,
  e.project_id, e.client_id, e.contact_id, e.planner_id,
  e.name as "event.name",
  e.status as "event.status",
  e.start as "event.start",
  e."end" as "event.end",
  e.location_id as "event.location_id",
  e.auto_assign_enabled as "event.auto_assign_enabled",
  e."project.name" as "event.project.name",
  e.own_contact_id, e.project_contact_id, e.own_planner_id, e.project_planner_id,
  e.own_configurations, e.project_configurations, e.reporting_form_ids
from event_functions_own f
left join events_planned e on e.tenant_id = f.tenant_id and e.id = f.event_id;
grant select on event_functions_planned to staffing_tenant;

create view event_functions_view with (security_invoker = true) as
select f.*,
  t.name as "function",
  t.project_leader as "function.project_leader",
  l.name as "location.name",
  el.name as "event.location.name",
  case when f.location_id is null then el.address else l.address end as effective_location,
  coalesce(f.wage_profile_id, t.wage_profile_id) as effective_wage_profile_id,
  d.id as default_wage_profile_id
from event_functions_planned f
left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
left join locations_view l on l.tenant_id = f.tenant_id and l.id = f.location_id
left join locations_view el on el.tenant_id = f.tenant_id and el.id = f."event.location_id"
left join wage_profiles d on d.tenant_id = f.tenant_id and d.default_place = 1;
grant select on event_functions_view to staffing_tenant;
