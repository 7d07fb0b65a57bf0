-- Returns the functions with open places of active events that have not ended.
create function gaps(tenant bigint, time_zone text, parent bigint)
returns table (
  event_id bigint, "event.name" text, event_function_id bigint, function text, start timestamptz, "end" timestamptz,
  required integer, holding integer, confirmed integer, open integer
)
language sql stable as $$
  select f.event_id, e.name, f.id, t.name, coalesce(f.start, e.start), coalesce(f."end", e."end"),
    f.quantity, f.holding, coalesce(c.confirmed, 0)::integer, f.quantity - f.holding
  from events e
  join event_functions f on f.tenant_id = tenant and f.event_id = e.id and f.holding < f.quantity
  join functions t on t.tenant_id = tenant and t.id = f.function_id
  left join lateral (
    select count(*) as confirmed from assignments a
    where a.tenant_id = tenant and a.event_function_id = f.id and a.status = 7
  ) c on true
  where e.tenant_id = tenant and e.status = 2 and e."end" > tenant_now()
$$;
