-- Returns the errors of a row of an import with another message, without what else they tell.
create function cleared_messages(errors jsonb, message text) returns jsonb
language sql immutable parallel safe
return (
  select jsonb_agg(jsonb_build_object('code', e -> 'code', 'field', e -> 'field', 'message', message) order by place)
  from jsonb_array_elements(errors) with ordinality l(e, place)
);
