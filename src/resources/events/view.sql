create view events_own with (security_invoker = true) as
select e.tenant_id, e.id, e.external_id, e.project_id, e.location_id, e.name, e.description, e.status, e.start, e."end",
  e.break_start, e.break_end, e.is_locked, e.auto_assign_enabled, e.auto_assign_mode, e.overbooking_percent,
  e.client_id as own_client_id,
  e.contact_id as own_contact_id,
  e.planner_id as own_planner_id,
  e.configurations as own_configurations,
  e.reporting_form_ids as own_reporting_form_ids,
  places_filled(e.status, e.filled, e.quantity) collate "und-x-icu" as statistics,
  e.created_at, e.updated_at
from events e;
grant select on events_own to staffing_tenant;

create view events_planned with (security_invoker = true) as
select e.*,
  coalesce(e.own_client_id, p.client_id) as client_id,
  coalesce(e.own_contact_id, p.contact_id) as contact_id,
  coalesce(e.own_planner_id, p.planner_id) as planner_id,
  coalesce(e.own_configurations, p.configurations) as configurations,
  coalesce(e.own_reporting_form_ids, p.reporting_form_ids) as reporting_form_ids,
  p.name as "project.name",
  p.contact_id as project_contact_id,
  p.planner_id as project_planner_id,
  p.configurations as project_configurations
from events_own e
left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id;
grant select on events_planned to staffing_tenant;

-- The contact and planner are joined by CASE instead of the equivalent COALESCE, which Postgres does not treat as leakproof: under row
-- security, a join on it uses no index.
create view events_view with (security_invoker = true) as
select e.*,
  l.name as "location.name",
  c.firstname as "contact.first_name",
  c.lastname as "contact.last_name",
  s.first_name as "planner.first_name",
  s.last_name as "planner.last_name",
  case when e.reporting_form_ids is not null then (
    select jsonb_agg(m.id) from forms m where m.tenant_id = e.tenant_id and m.id = any(listed_ids(e.reporting_form_ids))
  ) end as form_ids
from events_planned e
left join locations l on l.tenant_id = e.tenant_id and l.id = e.location_id
left join contacts c on c.tenant_id = e.tenant_id
  and c.id = case when e.own_contact_id is null then e.project_contact_id else e.own_contact_id end
left join planners s on s.tenant_id = e.tenant_id
  and s.id = case when e.own_planner_id is null then e.project_planner_id else e.own_planner_id end;
grant select on events_view to staffing_tenant;
