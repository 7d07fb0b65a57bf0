-- Postgres removes the joins that a query does not use: each is a left join on a unique key that no used join depends on. For CASE in
-- a join, see events/view.sql.
create view assignments_view with (security_invoker = true) as
select a.tenant_id, a.id, a.external_id, a.employee_id, a.event_function_id,
  f.event_id,
  e.project_id,
  coalesce(e.client_id, p.client_id) as client_id,
  coalesce(e.contact_id, p.contact_id) as contact_id,
  coalesce(e.planner_id, p.planner_id) as planner_id,
  coalesce(f.location_id, e.location_id) as location_id,
  coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, w.wage_profile_id, d.id) as wage_profile_id,
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
  e.status as "event.status",
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
    'confirmation', configuration_section('confirmation', e.configurations, p.configurations),
    'livestamps', configuration_section('livestamps', e.configurations, p.configurations),
    'checkins', configuration_section('checkins', e.configurations, p.configurations),
    'work_time_proposals', configuration_section('work_time_proposals', e.configurations, p.configurations),
    'wage_proposals', configuration_section('wage_proposals', e.configurations, p.configurations),
    'reporting_forms', configuration_section('reporting_forms', e.configurations, p.configurations),
    'signed_work_data', configuration_section('signed_work_data', e.configurations, p.configurations),
    'team_leader', configuration_section('team_leader', e.configurations, p.configurations)
  ) as configurations,
  case
    when f.location_id is null then postal_address(el.line_1, el.line_2, el.zip, el.city, coalesce(ev.identifier, ev.name))
    else postal_address(fl.line_1, fl.line_2, fl.zip, fl.city, coalesce(fv.identifier, fv.name))
  end as location,
  coalesce(a.statistics, places_filled(e.status, f.holding, f.quantity) collate "und-x-icu") as statistics
from assignments a
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
left join events e on e.tenant_id = a.tenant_id and e.id = f.event_id
left join projects p on p.tenant_id = a.tenant_id and p.id = e.project_id
left join functions t on t.tenant_id = a.tenant_id and t.id = f.function_id
left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id
left join wage_profiles d on d.tenant_id = a.tenant_id and d.default_place = 1
left join locations fl on fl.tenant_id = a.tenant_id and fl.id = f.location_id
left join locations el on el.tenant_id = a.tenant_id and el.id = e.location_id
left join collection_values fv on fv.tenant_id = a.tenant_id and fv.id = fl.country
left join collection_values ev on ev.tenant_id = a.tenant_id and ev.id = el.country
left join contacts c on c.tenant_id = a.tenant_id
  and c.id = case when e.contact_id is null then p.contact_id else e.contact_id end
left join planners s on s.tenant_id = a.tenant_id
  and s.id = case when e.planner_id is null then p.planner_id else e.planner_id end;
grant select on assignments_view to staffing_tenant;
