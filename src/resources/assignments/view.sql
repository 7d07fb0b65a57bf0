create view assignments_own with (security_invoker = true) as
select a.tenant_id, a.id, a.external_id, a.employee_id, a.event_function_id,
  a.event_function_id as "event_function.id",
  a.status, a.remarks,
  a.effective_start as start,
  a.effective_end as "end",
  a.is_approved, a.pay_amount, a.approved_on, a.approved_by_planner_id, a.paid_on, a.correction, a.assigned_by_availability, a.auto_assigned,
  a.created_at, a.updated_at,
  a.approved_wage_profile_id as own_approved_wage_profile_id,
  a.wage_profile_id as own_wage_profile_id,
  a.break_start as own_break_start,
  a.break_end as own_break_end,
  a.statistics as own_statistics
from assignments a;
grant select on assignments_own to staffing_tenant;

-- With what assignments have from the event function alone: planning keys for `event_id` takes a third of the layer with the event.
create view assignments_placed with (security_invoker = true) as
select a.*,
  f.event_id,
  f.function_id as "event_function.function_id",
  f.description as "event_function.description",
  f.is_locked as "event_function.is_locked",
  f.wage_profile_id as "event_function.wage_profile_id"
from assignments_own a
left join event_functions_own f on f.tenant_id = a.tenant_id and f.id = a.event_function_id;
grant select on assignments_placed to staffing_tenant;

create view assignments_planned with (security_invoker = true) as
select a.*,
  x.event_id, x.project_id, x.client_id, x.contact_id, x.planner_id,
  x.effective_location_id as location_id,
  x.function_id as "event_function.function_id",
  x.description as "event_function.description",
  x.start as "event_function.start",
  x."end" as "event_function.end",
  x.is_locked as "event_function.is_locked",
  x.wage_profile_id as "event_function.wage_profile_id",
  x."event.name", x."event.status", x."event.start", x."event.end", x."event.auto_assign_enabled", x."event.project.name",
  coalesce(a.own_break_start, x.break_start) as break_start,
  coalesce(a.own_break_end, x.break_end) as break_end,
  coalesce(a.own_statistics, x.statistics) as statistics,
  x.break_start as "event_function.break_start",
  x.break_end as "event_function.break_end",
  x.statistics as "event_function.statistics",
  x.own_configurations as "event.own_configurations",
  x.project_configurations as "event.project_configurations"
from assignments_own a
left join event_functions_planned x on x.tenant_id = a.tenant_id and x.id = a.event_function_id;
grant select on assignments_planned to staffing_tenant;

-- Postgres removes the joins that a query does not use: each is a left join on a unique key that no used join depends on. What event
-- functions have from elsewhere is a subquery: Postgres then computes it for each of them, not for each assignment, where it sorts or
-- filters all. For CASE in a join, see events/view.sql.
create view assignments_view with (security_invoker = true) as
select a.*,
  x.event_id, x.project_id, x.client_id, x.contact_id, x.planner_id,
  x.effective_location_id as location_id,
  x.function_id as "event_function.function_id",
  x.description as "event_function.description",
  x.start as "event_function.start",
  x."end" as "event_function.end",
  x.is_locked as "event_function.is_locked",
  x.wage_profile_id as "event_function.wage_profile_id",
  x."event.name", x."event.status", x."event.start", x."event.end", x."event.auto_assign_enabled", x."event.project.name",
  coalesce(a.own_break_start, x.break_start) as break_start,
  coalesce(a.own_break_end, x.break_end) as break_end,
  coalesce(a.own_statistics, x.statistics) as statistics,
  x.break_start as "event_function.break_start",
  x.break_end as "event_function.break_end",
  x.statistics as "event_function.statistics",
  x.own_configurations as "event.own_configurations",
  x.project_configurations as "event.project_configurations",
  coalesce(a.own_approved_wage_profile_id, a.own_wage_profile_id, x.effective_wage_profile_id, w.wage_profile_id,
    x.default_wage_profile_id) as wage_profile_id,
  x."location.name" as "event_function.location.name",
  x."function" as "event_function.function",
  x."function.project_leader" as "event_function.function.project_leader",
  x."event.location.name",
  x."event.contact.first_name",
  x."event.contact.last_name",
  x."event.planner.first_name",
  x."event.planner.last_name",
  assignment_open_actions(a.id, a.status, a.is_approved, a.correction, a.start, a."end", x."event.status", x.own_configurations,
    x.project_configurations, x.form_ids, w.status, a.has_conflict, a.unsigned_contract_id, a.has_started, a.has_ended, a.has_started,
    a.has_proposal, a.has_work_time, a.has_signed_proposal, a.completed_form_ids) as open_actions,
  assignment_configurations(a.id, x.event_id, x.own_configurations, x.project_configurations) as configurations,
  x.effective_location as location,
  x.form_ids as "event.form_ids",
  x.effective_wage_profile_id as "event_function.effective_wage_profile_id",
  x.default_wage_profile_id,
  w.status as "employee.status",
  w.wage_profile_id as "employee.wage_profile_id"
from (
  -- What open actions depend on, null where none can: for most assignments, which hold no place or are approved, nothing is read. With
  -- `offset 0`, an assignment's own records are looked up; without, those of the whole tenant may be read and hashed for one page.
  select a.*,
    -- Intervals are half-open; an empty one overlaps no other.
    case when assignment_holding(a.status) and not a.is_approved and a.start < a."end" then exists (
      select from assignments o
      join event_functions og on og.tenant_id = a.tenant_id and og.id = o.event_function_id
      join events oe on oe.tenant_id = a.tenant_id and oe.id = og.event_id and not event_aborted(oe.status)
      where o.tenant_id = a.tenant_id and o.employee_id = a.employee_id and assignment_holding(o.status) and o.id <> a.id
        and a.start < o.effective_end and o.effective_start < a."end"
        and o.effective_start < o.effective_end
    ) or exists (
      select from busy_dates b
      where b.tenant_id = a.tenant_id and b.employee_id = a.employee_id
        and a.start < b."end" and b.start < a."end" and b.start < b."end"
    ) end as has_conflict,
    case when assignment_booked(a.status) then (
      select case when n.file is null then n.id end
      from assignment_contract n
      where n.tenant_id = a.tenant_id and n.assignment_id = a.id
      order by n.created_at desc, n.id desc limit 1
    ) end as unsigned_contract_id,
    case when assignment_booked(a.status) and not a.is_approved then exists (
      select from checkins k where k.tenant_id = a.tenant_id and k.assignment_id = a.id and k.type = 1 offset 0
    ) end as has_started,
    case when assignment_booked(a.status) and not a.is_approved then exists (
      select from checkins k where k.tenant_id = a.tenant_id and k.assignment_id = a.id and k.type = 4 offset 0
    ) end as has_ended,
    case when assignment_booked(a.status) and not a.is_approved then exists (
      select from work_time_proposals u
      where u.tenant_id = a.tenant_id and u.assignment_id = a.id and proposal_standing(u.status) offset 0
    ) end as has_proposal,
    case when assignment_booked(a.status) and not a.is_approved then exists (
      select from work_times u where u.tenant_id = a.tenant_id and u.event_function_employee_id = a.id offset 0
    ) end as has_work_time,
    case when assignment_booked(a.status) and not a.is_approved then exists (
      select from work_time_proposals u
      where u.tenant_id = a.tenant_id and u.assignment_id = a.id and proposal_standing(u.status)
        and u.signed_at is not null offset 0
    ) end as has_signed_proposal,
    case when assignment_booked(a.status) then (
      select jsonb_agg(m.id)
      from (
        select r.report_submission_id, r.data from assignment_employment_reports r
        where r.tenant_id = a.tenant_id and r.assignment_id = a.id offset 0
      ) r
      join forms m on m.tenant_id = a.tenant_id and report_completes(r.report_submission_id, r.data, m.id, (
        select jsonb_agg(q.id) from attributes q where q.tenant_id = a.tenant_id and q.entity_id = m.id
      ))
    ) end as completed_form_ids
  from assignments_own a
) a
left join (
  select f.*,
    c.firstname as "event.contact.first_name",
    c.lastname as "event.contact.last_name",
    s.first_name as "event.planner.first_name",
    s.last_name as "event.planner.last_name",
    case when f.reporting_form_ids is not null then (
      select jsonb_agg(m.id) from forms m where m.tenant_id = f.tenant_id and m.id = any(listed_ids(f.reporting_form_ids))
    ) end as form_ids
  from event_functions_view f
  left join contacts c on c.tenant_id = f.tenant_id
    and c.id = case when f.own_contact_id is null then f.project_contact_id else f.own_contact_id end
  left join planners s on s.tenant_id = f.tenant_id
    and s.id = case when f.own_planner_id is null then f.project_planner_id else f.own_planner_id end
) x on x.tenant_id = a.tenant_id and x.id = a.event_function_id
left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id;
grant select on assignments_view to staffing_tenant;
