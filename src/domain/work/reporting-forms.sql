-- Returns the ids in a JSON array. A function of its own, since Citus does not plan a subquery over the elements of an outer query's array.
create function listed_ids(list jsonb) returns bigint[] language sql immutable parallel safe as $$
  select array_agg(id::bigint) from jsonb_array_elements(list) l(id)
$$;

-- Whether a report completes a form: its own, each form with one of its answered questions or, if it has neither, all forms.
create function report_completes(report_form bigint, answers jsonb, form bigint, questions jsonb) returns boolean
language sql stable parallel safe
return coalesce(report_form = form, not jsonb_path_exists(answers, '$[*].attribute_id'))
  or jsonb_path_exists(answers, '$[*] ? (@.attribute_id == $ids[*])', jsonb_build_object('ids', coalesce(questions, '[]')));

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
  where report_completes(r.report_submission_id, r.data, w.form_id, q.ids)
  group by w.assignment_id, w.form_id
)
select w.assignment_id, w.form_id, m.name, w.source, w.source_id, w.place, w.mandatory, r.submitted_at
from wanted w
join forms m on m.tenant_id = tenant and m.id = w.form_id
left join reported r on r.assignment_id = w.assignment_id and r.form_id = w.form_id;
end $$;
