-- Returns a kept response without its body.
create function reply_head(reply text) returns text language sql immutable parallel safe as $$
  select json_build_object('status', reply::json -> 'status', 'headers', reply::json -> 'headers')::text
$$;
