-- The views and functions of the floor's statements, in a schema of their own: copies, which later changes of the server do not change.
drop schema if exists bench_floor cascade;
create schema bench_floor;
set search_path = bench_floor, public;

-- Statuses (event): Will take place, or may.
create function event_open(status integer) returns boolean
  language sql immutable parallel safe return status in (1, 2);

-- Statuses (event): Take place, may, or have.
create function event_kept(status integer) returns boolean
  language sql immutable parallel safe return status in (1, 2, 3);

-- Statuses (event): Do not take place: their assignments take no time and fill no place.
create function event_aborted(status integer) returns boolean
  language sql immutable parallel safe return status in (5);

-- Statuses (event): Take no new assignments.
create function event_closed(status integer) returns boolean
  language sql immutable parallel safe return status in (3, 5);

-- Statuses (assignment): Fill a place.
create function assignment_holding(status integer) returns boolean
  language sql immutable parallel safe return status in (5, 6, 7);

-- Statuses (assignment): Take the employee's time.
create function assignment_booked(status integer) returns boolean
  language sql immutable parallel safe return status in (6, 7);

-- Statuses (assignment): Apply for a place.
create function assignment_applied(status integer) returns boolean
  language sql immutable parallel safe return status in (3, 4);

-- Statuses (assignment): Wait for someone's decision.
create function assignment_undecided(status integer) returns boolean
  language sql immutable parallel safe return status in (1, 3, 4, 5);

-- Statuses (employee): Do not work for the tenant.
create function employee_ended(status integer) returns boolean
  language sql immutable parallel safe return status in (5, 6);

-- Statuses (proposal): Wait for a decision, or count.
create function proposal_standing(status integer) returns boolean
  language sql immutable parallel safe return status in (1, 2);

-- Default settings, which apply where neither the event nor its project has a setting.
create function configuration_defaults() returns jsonb language sql immutable parallel safe
return jsonb '{
  "confirmation": {"enabled": 1},
  "livestamps": {"enabled": 0},
  "checkins": {"enabled": 0, "required_types": [1, 4], "minutes_before": 60, "minutes_after": 120},
  "work_time_proposals": {"enabled": 0, "mandatory": 0, "from_checkins": 0, "round_minutes": 1},
  "wage_proposals": {"enabled": 0},
  "reporting_forms": {"enabled": 0, "mandatory": 0},
  "signed_work_data": {"enabled": 0, "methods": ["signature", "pin"]},
  "team_leader": {"enabled": 0}
}';

-- Returns one setting: the event's, otherwise its project's, otherwise the default. Lists are not merged.
create function configuration_setting(section text, name text, event jsonb, project jsonb) returns jsonb
language sql immutable parallel safe
return coalesce(event #> array[section, name], project #> array[section, name], configuration_defaults() #> array[section, name]);

-- Returns all settings of a section, each determined by configuration_setting.
create function configuration_section(section text, event jsonb, project jsonb) returns jsonb
language sql immutable parallel safe
return configuration_defaults() -> section || coalesce(project -> section, '{}') || coalesce(event -> section, '{}');

-- Returns the settings of all sections.
create function configuration_sections(event jsonb, project jsonb) returns jsonb language sql immutable parallel safe
return (
  select jsonb_object_agg(name, configuration_section(name, event, project))
  from jsonb_object_keys(configuration_defaults()) as section(name)
);

create function configuration_enabled(section text, event jsonb, project jsonb) returns boolean
language sql immutable parallel safe
return configuration_setting(section, 'enabled', event, project) = '1';

-- How many places are filled, of how many; an aborted event's are all open. With casts, since || of a number and a text is not immutable,
-- and Postgres would then call the function for each row that a listing sorts by it instead of inlining it.
create function places_filled(event_status integer, holding integer, quantity integer) returns text
language sql immutable parallel safe
return ((case when event_aborted(event_status) then 0 else holding end)::text || '/' || quantity::text);

create function postal_address(line_1 text, line_2 text, zip text, city text, country text) returns text
language sql stable parallel safe
return nullif(concat_ws(', ',
  nullif(line_1, ''), nullif(line_2, ''), nullif(concat_ws(' ', nullif(zip, ''), nullif(city, '')), ''), nullif(country, '')
), '');

create view locations_view with (security_invoker = true) as
select l.*, postal_address(l.line_1, l.line_2, l.zip, l.city, coalesce(v.identifier, v.name)) as address
from locations l
left join collection_values v on v.tenant_id = l.tenant_id and v.id = l.country;

-- Returns the reporting forms of the given assignments: one row for each assignment and form of its event, or else of its project;
-- `place` is the position in that list. A report completes its own form and the forms whose attributes it contains or, if it has
-- neither, all forms.
create function assignments_reporting_forms(tenant bigint, ids bigint[]) returns table (
  assignment_id bigint, form_id bigint, name text, source text, source_id bigint, place bigint, mandatory boolean,
  submitted_at timestamptz
) language plpgsql stable set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
return query
with wanted as materialized (
  select a.id as assignment_id, l.form::bigint as form_id, min(l.place) as place,
    case when e.reporting_form_ids is null then 'project' else 'event' end as source,
    case when e.reporting_form_ids is null then p.id else e.id end as source_id,
    configuration_setting('reporting_forms', 'mandatory', e.configurations, p.configurations) = '1' as mandatory
  from assignments a
  join event_functions f on f.tenant_id = tenant and f.id = a.event_function_id
  join events e on e.tenant_id = tenant and e.id = f.event_id
  join projects p on p.tenant_id = tenant and p.id = e.project_id
  cross join jsonb_array_elements(coalesce(e.reporting_form_ids, p.reporting_form_ids)) with ordinality l(form, place)
  where a.tenant_id = tenant and a.id = any(ids)
  group by a.id, l.form, e.id, p.id, e.reporting_form_ids, e.configurations, p.configurations
), questions as (
  select t.entity_id as form_id, jsonb_agg(t.id) as ids
  from attributes t
  where t.tenant_id = tenant and t.entity_id = any(array(select w.form_id from wanted w))
  group by t.entity_id
), reported as (
  select w.assignment_id, w.form_id, max(r.created_at) as submitted_at
  from wanted w
  join assignment_employment_reports r on r.tenant_id = tenant and r.assignment_id = w.assignment_id
  left join questions q on q.form_id = w.form_id
  where r.report_submission_id = w.form_id
    or r.report_submission_id is null and not jsonb_path_exists(r.data, '$[*].attribute_id')
    or jsonb_path_exists(r.data, '$[*] ? (@.attribute_id == $ids[*])', jsonb_build_object('ids', coalesce(q.ids, '[]')))
  group by w.assignment_id, w.form_id
)
select w.assignment_id, w.form_id, m.name, w.source, w.source_id, w.place, w.mandatory, r.submitted_at
from wanted w
join forms m on m.tenant_id = tenant and m.id = w.form_id
left join reported r on r.assignment_id = w.assignment_id and r.form_id = w.form_id;
end $$;

-- Returns one open action as JSON.
create function open_action(type text, due timestamptz, mandatory integer, path text) returns json
language sql stable parallel safe
return json_build_object(
  'type', type,
  'due', to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'mandatory', mandatory,
  'href', '/api/v1/' || path
);

-- Returns the open actions of the given assignments, in the order in which they are to be done. Each table is read once, through an
-- index, for all assignments. A generic plan is used because planning takes longer than execution.
create function assignments_open_actions(tenant bigint, ids bigint[]) returns table (id bigint, value json)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
return query
with asked as materialized (
  select a.id, a.employee_id, a.status,
    assignment_holding(a.status) and not a.is_approved and not event_aborted(e.status) as holds,
    assignment_booked(a.status) and not event_aborted(e.status) as books,
    assignment_booked(a.status) and not a.is_approved and not event_aborted(e.status) as works,
    a.effective_start as begins,
    a.effective_end as ends,
    configuration_enabled('confirmation', e.configurations, p.configurations) as confirms,
    configuration_enabled('checkins', e.configurations, p.configurations)
      and configuration_setting('checkins', 'required_types', e.configurations, p.configurations) @> '1' as checks_in,
    configuration_enabled('checkins', e.configurations, p.configurations)
      and configuration_setting('checkins', 'required_types', e.configurations, p.configurations) @> '4' as checks_out,
    configuration_enabled('work_time_proposals', e.configurations, p.configurations) as tells_times,
    (configuration_setting('work_time_proposals', 'mandatory', e.configurations, p.configurations) = '1')::integer
      as must_tell_times,
    configuration_enabled('reporting_forms', e.configurations, p.configurations) as reports,
    configuration_enabled('signed_work_data', e.configurations, p.configurations) as signs
  from assignments a
  left join event_functions f on f.tenant_id = tenant and f.id = a.event_function_id
  left join events e on e.tenant_id = tenant and e.id = f.event_id
  left join projects p on p.tenant_id = tenant and p.id = e.project_id
  where a.tenant_id = tenant and a.id = any(ids)
), conflicts as (
  -- Intervals are half-open; an empty one overlaps no other.
  select a.id from asked a
  join assignments o on o.tenant_id = tenant and o.employee_id = a.employee_id and assignment_holding(o.status)
  join event_functions f on f.tenant_id = tenant and f.id = o.event_function_id
  join events e on e.tenant_id = tenant and e.id = f.event_id and not event_aborted(e.status)
  where a.holds and o.id <> a.id and a.begins < o.effective_end and o.effective_start < a.ends
    and a.begins < a.ends and o.effective_start < o.effective_end
  union
  select a.id from asked a
  join busy_dates b on b.tenant_id = tenant and b.employee_id = a.employee_id
  where a.holds and a.begins < b."end" and b.start < a.ends and a.begins < a.ends and b.start < b."end"
), checked as (
  select c.assignment_id, bool_or(c.type = 1) as came, bool_or(c.type = 4) as went
  from checkins c
  where c.tenant_id = tenant and c.assignment_id = any(ids)
  group by c.assignment_id
), proposals as (
  select t.assignment_id, true as proposed, bool_or(t.signed_at is not null) as signed
  from work_time_proposals t
  where t.tenant_id = tenant and t.assignment_id = any(ids) and proposal_standing(t.status)
  group by t.assignment_id
), worked as (
  select distinct w.event_function_employee_id as assignment_id
  from work_times w
  where w.tenant_id = tenant and w.event_function_employee_id = any(ids)
), contracts as (
  select distinct on (n.assignment_id) n.assignment_id, n.id, n.file
  from assignment_contract n
  where n.tenant_id = tenant and n.assignment_id = any(ids)
  order by n.assignment_id, n.created_at desc, n.id desc
), unreported as (
  select r.assignment_id, max(r.mandatory::int) as mandatory
  from assignments_reporting_forms(tenant, array(select a.id from asked a where a.reports)) r
  where r.submitted_at is null
  group by r.assignment_id
)
select a.id, json_build_object('assignment_id', a.id, 'count', cardinality(o.actions), 'actions', array_to_json(o.actions))
from asked a
left join conflicts k on k.id = a.id
left join checked c on c.assignment_id = a.id
left join proposals t on t.assignment_id = a.id
left join worked w on w.assignment_id = a.id
left join contracts n on n.assignment_id = a.id
left join unreported r on r.assignment_id = a.id
cross join lateral (select array(
  select x.action from unnest(array[
    case when a.works and a.status = 6 and a.confirms
      then open_action('confirm', a.begins, 1, 'assignments/' || a.id || '/status') end,
    case when k.id is not null
      then open_action('resolve_conflict', a.begins, 1, 'assignments/' || a.id || '/status') end,
    case when a.books and n.id is not null and n.file is null
      then open_action('sign_contract', a.begins, 1, 'assignment-contract/' || n.id) end,
    case when a.works and a.checks_in and c.came is not true
      then open_action('check_in', a.begins, 1, 'checkins') end,
    case when a.works and a.checks_out and c.went is not true and (c.came or not a.checks_in)
      then open_action('check_out', a.ends, 1, 'checkins') end,
    case when a.works and a.tells_times and t.proposed is not true and w.assignment_id is null
      then open_action('submit_work_time', a.ends, a.must_tell_times, 'work-time-proposals') end,
    case when a.works and a.signs and t.signed is not true
      then open_action('sign_work_data', a.ends, 1, 'assignments/signed-work-data') end,
    case when a.books and r.assignment_id is not null
      then open_action('submit_report', a.ends, r.mandatory, 'assignment-employment-reports') end
  ]) with ordinality x(action, place) where x.action is not null order by x.place
) as actions) o;
end $$;

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
  a.is_approved, a.pay_amount, a.approved_on, a.approved_by_planner_id, a.paid_on, a.correction,
  a.assigned_by_availability, a.auto_assigned, a.created_at, a.updated_at,
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

create function minutes_between(start timestamptz, "end" timestamptz) returns integer language sql immutable parallel safe
return (extract(epoch from "end" - start) / 60)::integer;

create view work_times_view with (security_invoker = true) as
select w.tenant_id, w.id, w.event_function_employee_id, w.start, w."end", w.break_start, w.break_end, w.source,
  w.is_approved, w.approved_on, w.created_at, w.updated_at, a.employee_id, f.event_id,
  minutes_between(w.start, w."end") - coalesce(minutes_between(w.break_start, w.break_end), 0) as minutes,
  coalesce(minutes_between(w.break_start, w.break_end), 0) as break_minutes
from work_times w
left join assignments a on a.tenant_id = w.tenant_id and a.id = w.event_function_employee_id
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id;

create view clients_view with (security_invoker = true) as select *, company as name from clients;
