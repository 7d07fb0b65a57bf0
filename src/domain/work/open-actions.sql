-- Returns one open action as JSON text.
create function open_action(type text, due timestamptz, mandatory boolean, path text) returns text
language sql stable parallel safe
return json_build_object(
  'type', type,
  'due', to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'mandatory', mandatory::integer,
  'href', '/api/v1/' || path
);

-- Returns the open actions of an assignment as JSON. Concatenated, since most assignments have none and a listing has many.
create function open_actions(assignment bigint, actions text[]) returns json
language sql stable parallel safe
return ('{"assignment_id": ' || assignment || ', "count": ' || cardinality(actions)
  || ', "actions": [' || array_to_string(actions, ', ') || ']}')::json;
