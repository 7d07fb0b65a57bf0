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

-- Whether check-ins of a type are required.
create function checkin_required(type jsonb, event jsonb, project jsonb) returns boolean
language sql immutable parallel safe
return configuration_enabled('checkins', event, project)
  and configuration_setting('checkins', 'required_types', event, project) @> type;

-- Returns the settings of a section as JSON text. Those of most events are the defaults, which need not be merged with anything.
create function configuration_text(section text, event jsonb, project jsonb) returns text
language sql immutable parallel safe
return case when event -> section is null and project -> section is null then (configuration_defaults() -> section)::text
  else configuration_section(section, event, project)::text end;

-- The settings of an assignment as JSON text, with the keys in the order of jsonb, but for the ids of its event and of itself, which are
-- between these three parts; concatenated, which takes less than building.
create function configurations_first(event jsonb, project jsonb) returns text language sql immutable parallel safe
return '{"checkins": ' || configuration_text('checkins', event, project) || ', "event_id": ';

create function configurations_second(event jsonb, project jsonb) returns text language sql immutable parallel safe
return ', "livestamps": ' || configuration_text('livestamps', event, project)
  || ', "team_leader": ' || configuration_text('team_leader', event, project)
  || ', "confirmation": ' || configuration_text('confirmation', event, project)
  || ', "assignment_id": ';

create function configurations_third(event jsonb, project jsonb) returns text language sql immutable parallel safe
return ', "wage_proposals": ' || configuration_text('wage_proposals', event, project)
  || ', "reporting_forms": ' || configuration_text('reporting_forms', event, project)
  || ', "signed_work_data": ' || configuration_text('signed_work_data', event, project)
  || ', "work_time_proposals": ' || configuration_text('work_time_proposals', event, project) || '}';

-- Returns the settings of all sections of an assignment as JSON text: the type json would parse it. Without any settings of the event and
-- its project, as most are, the three parts are constants.
create function assignment_configurations(assignment bigint, event_id bigint, event jsonb, project jsonb) returns text
language sql stable parallel safe
return case when event is null and project is null
  then configurations_first(null, null) || event_id::text || configurations_second(null, null) || assignment::text
    || configurations_third(null, null)
  else configurations_first(event, project) || event_id::text || configurations_second(event, project) || assignment::text
    || configurations_third(event, project) end;
