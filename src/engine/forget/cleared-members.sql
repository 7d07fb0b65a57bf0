-- The object, or the list of objects, with those of its members that are named here set to null.
create function cleared_members(given jsonb, members text[]) returns jsonb language sql immutable parallel safe returns null on null input
return (
  select case jsonb_typeof(given) when 'array' then coalesce(jsonb_agg(cleared order by place), '[]') else jsonb_agg(cleared) -> 0 end
  from (
    select place, case jsonb_typeof(item) when 'object'
      then item || coalesce((select jsonb_object_agg(member, null) from unnest(members) member where item ? member), '{}')
      else item end as cleared
    from jsonb_array_elements(case jsonb_typeof(given) when 'array' then given else jsonb_build_array(given) end)
      with ordinality items(item, place)
  ) c
);
