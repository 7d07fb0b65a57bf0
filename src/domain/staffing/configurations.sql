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

-- Returns the settings of all sections of an assignment. The defaults alone are concatenated from constants, in the order of keys that jsonb
-- has: most assignments have no others, and merging them takes as long as reading the assignment.
create function assignment_configurations(assignment bigint, event_id bigint, event jsonb, project jsonb) returns json
language sql stable parallel safe
return case when event is null and project is null then (
  ('{"checkins": ' || (configuration_defaults() -> 'checkins')::text || ', "event_id": ') || event_id
  || (', "livestamps": ' || (configuration_defaults() -> 'livestamps')::text
    || ', "team_leader": ' || (configuration_defaults() -> 'team_leader')::text
    || ', "confirmation": ' || (configuration_defaults() -> 'confirmation')::text
    || ', "assignment_id": ') || assignment
  || (', "wage_proposals": ' || (configuration_defaults() -> 'wage_proposals')::text
    || ', "reporting_forms": ' || (configuration_defaults() -> 'reporting_forms')::text
    || ', "signed_work_data": ' || (configuration_defaults() -> 'signed_work_data')::text
    || ', "work_time_proposals": ' || (configuration_defaults() -> 'work_time_proposals')::text || '}')
)::json else jsonb_build_object(
  'assignment_id', assignment,
  'event_id', event_id,
  'confirmation', configuration_section('confirmation', event, project),
  'livestamps', configuration_section('livestamps', event, project),
  'checkins', configuration_section('checkins', event, project),
  'work_time_proposals', configuration_section('work_time_proposals', event, project),
  'wage_proposals', configuration_section('wage_proposals', event, project),
  'reporting_forms', configuration_section('reporting_forms', event, project),
  'signed_work_data', configuration_section('signed_work_data', event, project),
  'team_leader', configuration_section('team_leader', event, project)
)::json end;
