-- Returns one open action as JSON text; concatenated, which takes less than building.
create function open_action(type text, due timestamptz, mandatory boolean, path text) returns text
language sql stable parallel safe
return '{"type": "' || type
  || '", "due": ' || coalesce('"' || to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '"', 'null')
  || ', "mandatory": ' || case when mandatory then '1' else '0' end
  || ', "href": "/api/v1/' || path || '"}';

-- Returns the open actions of an assignment as JSON text: the type json would parse it. In PL/pgSQL: a call with an argument that reads
-- tables cannot be inlined.
create function open_actions(assignment bigint, actions text[]) returns text
language plpgsql stable parallel safe as $$
begin
  return '{"assignment_id": ' || assignment || ', "count": ' || cardinality(actions)
    || ', "actions": [' || array_to_string(actions, ', ') || ']}';
end $$;

-- Returns the same of an assignment without any, as most are.
create function no_open_actions(assignment bigint) returns text
language sql stable parallel safe
return '{"assignment_id": ' || assignment::text || ', "count": 0, "actions": []}';
