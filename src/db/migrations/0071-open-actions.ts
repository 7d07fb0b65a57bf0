import { sql } from 'kysely';
import { mergedSetting } from '../configurations.ts';
import { TENANT_ROLE } from '../enter.ts';
import type { Definitions } from '../schema.ts';

/** What is left to do about assignments, for any number of them at once. */
export const up = async (db: Definitions): Promise<void> => {
  // Whoever is asked about has yet to work or to be approved: few of the employee's assignments end after that begins.
  await sql.raw(heldIndex).execute(db);
  await sql.raw(openActions).execute(db);
  await sql.raw(`grant execute on function assignments_open_actions to ${TENANT_ROLE}`).execute(db);
};

const heldIndex = `
  create index assignments_held_idx on assignments (tenant_id, employee_id, effective_end) where status in (5, 6, 7)`;

const enabled = (section: Parameters<typeof mergedSetting>[0]): string => `${mergedSetting(section, 'enabled')} = '1'`;
const requires = (type: number): string => `${mergedSetting('checkins', 'required_types')} @> '${type}'`;

/** The action, if the condition holds: each in the order in which it is done. */
const action = (type: string, condition: string, due: 'begins' | 'ends', href: string, mandatory = '1'): string => `
    case when ${condition} then json_build_object(
      'type', '${type}',
      'due', to_char(a.${due} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'mandatory', ${mandatory},
      'href', '/api/v1/' || ${href}
    ) end`;

const assignment = (ending: string): string => `'assignments/' || a.id || '/${ending}'`;

const actions = [
  action('confirm', 'a.works and a.status = 6 and a.confirms', 'begins', assignment('status')),
  action('resolve_conflict', 'k.id is not null', 'begins', assignment('status')),
  action(
    'sign_contract',
    'a.status in (6, 7) and n.id is not null and n.file is null',
    'begins',
    `'assignment-contract/' || n.id`,
  ),
  action('check_in', 'a.works and a.checks_in and c.came is not true', 'begins', `'checkins'`),
  action(
    'check_out',
    'a.works and a.checks_out and c.went is not true and (c.came or not a.checks_in)',
    'ends',
    `'checkins'`,
  ),
  action(
    'submit_work_time',
    'a.works and a.tells_times and t.proposed is not true and w.assignment_id is null',
    'ends',
    `'work-time-proposals'`,
    'a.must_tell_times',
  ),
  action('sign_work_data', 'a.works and a.signs and t.signed is not true', 'ends', `'assignments/signed-work-data'`),
  action(
    'submit_report',
    'a.status in (6, 7) and r.assignment_id is not null',
    'ends',
    `'assignment-employment-reports'`,
    'r.mandatory',
  ),
];

/** Spans of time are half-open, and an empty one meets no other. */
const overlap = (a: string, aFrom: string, aTo: string, b: string, bFrom: string, bTo: string): string =>
  `${a}.${aFrom} < ${b}.${bTo} and ${b}.${bFrom} < ${a}.${aTo} and ${a}.${aFrom} < ${a}.${aTo} and ${b}.${bFrom} < ${b}.${bTo}`;

/**
 * Each table is entered once, by an index, for all of the assignments. One plan for every list of ids: making one takes longer than
 * the work.
 */
const openActions = `
create function assignments_open_actions(tenant bigint, ids bigint[]) returns table (id bigint, value json)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
return query
with asked as materialized (
  select a.id, a.employee_id, a.status,
    a.status in (5, 6, 7) and not a.is_approved as holds,
    a.status in (6, 7) and not a.is_approved as works,
    a.effective_start as begins,
    a.effective_end as ends,
    ${enabled('confirmation')} as confirms,
    ${enabled('checkins')} and ${requires(1)} as checks_in,
    ${enabled('checkins')} and ${requires(4)} as checks_out,
    ${enabled('work_time_proposals')} as tells_times,
    case when ${mergedSetting('work_time_proposals', 'mandatory')} = '1' then 1 else 0 end as must_tell_times,
    ${enabled('reporting_forms')} as reports,
    ${enabled('signed_work_data')} as signs
  from assignments a
  left join event_functions f on f.tenant_id = tenant and f.id = a.event_function_id
  left join events e on e.tenant_id = tenant and e.id = f.event_id
  left join projects p on p.tenant_id = tenant and p.id = e.project_id
  where a.tenant_id = tenant and a.id = any(ids)
), conflicts as (
  select a.id from asked a
  join assignments o on o.tenant_id = tenant and o.employee_id = a.employee_id and o.status in (5, 6, 7)
  where a.holds and o.id <> a.id and ${overlap('a', 'begins', 'ends', 'o', 'effective_start', 'effective_end')}
  union
  select a.id from asked a
  join busy_dates b on b.tenant_id = tenant and b.employee_id = a.employee_id
  where a.holds and ${overlap('a', 'begins', 'ends', 'b', 'start', '"end"')}
), checked as (
  select c.assignment_id, bool_or(c.type = 1) as came, bool_or(c.type = 4) as went
  from checkins c
  where c.tenant_id = tenant and c.assignment_id = any(ids)
  group by c.assignment_id
), proposals as (
  select t.assignment_id, true as proposed, bool_or(t.signed_at is not null) as signed
  from work_time_proposals t
  where t.tenant_id = tenant and t.assignment_id = any(ids) and t.status in (1, 2)
  group by t.assignment_id
), worked as (
  select distinct w.event_function_employee_id as assignment_id
  from work_times w
  where w.tenant_id = tenant and w.event_function_employee_id = any(ids)
), contracts as (
  select distinct on (n.assignment_id) n.assignment_id, n.id, n.file
  from assignment_contract n
  where n.tenant_id = tenant and n.assignment_id = any(ids)
  order by n.assignment_id, n.id desc
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
  select x.action from unnest(array[${actions.join(',')}
  ]) with ordinality x(action, place) where x.action is not null order by x.place) as actions) o;
end $$`;
