create view event_functions_view with (security_invoker = true) as
select f.tenant_id, f.id, f.external_id, f.event_id, f.function_id,
  t.name as "function",
  t.project_leader as "function.project_leader",
  f.shift_name, f.description, f.quantity,
  coalesce(f.start, e.start) as start,
  coalesce(f."end", e."end") as "end",
  coalesce(f.break_start, e.break_start) as break_start,
  coalesce(f.break_end, e.break_end) as break_end,
  f.location_id,
  l.name as "location.name",
  f.wage_profile_id,
  coalesce(f.wage_profile_id, t.wage_profile_id) as effective_wage_profile_id,
  d.id as default_wage_profile_id,
  f.is_locked, f.required_qualifications,
  e.name as "event.name",
  p.name as "event.project.name",
  places_filled(e.status, f.filled, f.quantity) collate "und-x-icu" as statistics,
  coalesce(f.location_id, e.location_id) as effective_location_id,
  case when f.location_id is null then el.address else l.address end as effective_location,
  f.created_at, f.updated_at
from event_functions f
left join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
left join projects p on p.tenant_id = f.tenant_id and p.id = e.project_id
left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
left join locations_view l on l.tenant_id = f.tenant_id and l.id = f.location_id
left join locations_view el on el.tenant_id = f.tenant_id and el.id = e.location_id
left join wage_profiles d on d.tenant_id = f.tenant_id and d.default_place = 1;
grant select on event_functions_view to staffing_tenant;
