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
