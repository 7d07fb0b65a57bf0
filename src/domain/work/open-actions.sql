-- Returns one open action as JSON text.
create function open_action(type text, due timestamptz, mandatory boolean, path text) returns text
language sql stable parallel safe
return json_build_object(
  'type', type,
  'due', to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'mandatory', mandatory::integer,
  'href', '/api/v1/' || path
);

-- Returns the open actions of an assignment as JSON. In PL/pgSQL: a call with an argument that reads tables cannot be inlined.
create function open_actions(assignment bigint, actions text[]) returns json
language plpgsql stable parallel safe as $$
begin
  return '{"assignment_id": ' || assignment || ', "count": ' || cardinality(actions)
    || ', "actions": [' || array_to_string(actions, ', ') || ']}';
end $$;

-- Returns the same of an assignment without any, as most are.
create function no_open_actions(assignment bigint) returns json
language sql stable parallel safe
return ('{"assignment_id": ' || assignment || ', "count": 0, "actions": []}')::json;
