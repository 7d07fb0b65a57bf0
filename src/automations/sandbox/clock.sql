-- Returns the active sandboxes whose clocks are being moved. It enters one tenant after the other, since row security hides all others.
create function moving_clocks() returns setof bigint language plpgsql as $$
declare
  sandbox bigint;
begin
  for sandbox in select id from tenants t where t.sandbox and t.active loop
    execute 'set local app.tenant_id = ' || sandbox;
    if exists (select from clock_moves m where m.tenant_id = sandbox) then return next sandbox; end if;
  end loop;
end $$;

-- Moves a clock forward to a moment (null: not at all) on its way to what it is being moved to; the queue of the real clock follows.
-- Returns by how much it is ahead then, and what it is still being moved to; nothing while the tenant is disabled.
create function step_clock(sandbox_id bigint, moment timestamptz) returns table (ahead bigint, due timestamptz)
language plpgsql as $$
declare
  before bigint;
begin
  select t.clock_ahead into before from tenants t where t.id = sandbox_id and t.sandbox and t.active for update;
  if not found then return; end if;
  execute 'set local app.tenant_id = ' || sandbox_id;
  select m.due into due from clock_moves m where m.tenant_id = sandbox_id;
  ahead := before;
  if due is not null and moment is not null then
    ahead := greatest(before, ceil(extract(epoch from moment - now()) * 1000)::bigint);
    update tenants set clock_ahead = step_clock.ahead where id = sandbox_id;
    delete from clock_moves m where m.tenant_id = sandbox_id and m.due <= moment;
    due := nullif(greatest(due, moment), moment);
    update jobs.job set start_after = start_after - (step_clock.ahead - before) * interval '1 millisecond'
    where name = 'deliveries' and state < 'active' and not blocked and group_id = sandbox_id::text;
  end if;
  return next;
end $$;

-- Returns the next moment after the present of a tenant's clock at which an automation or the next attempt of a delivery is due.
create function next_due(tenant bigint) returns timestamptz language sql stable as $$
select min(moment) from (
  select min(next_attempt_at) as moment from automation_deliveries
  where tenant_id = tenant and status = 1 and next_attempt_at > tenant_now()
  union all
  select case a.trigger_type
      when 'event.starts_in' then (
        select min(e.start) from events e
        where e.tenant_id = tenant and e.start > tenant_now() + a.lead and not event_closed(e.status)
      )
      else (
        select min(coalesce(f.start, e.start))
        from event_functions f join events e on e.tenant_id = tenant and e.id = f.event_id
        where f.tenant_id = tenant and f.holding < f.quantity and coalesce(f.start, e.start) > tenant_now() + a.lead
          and not event_closed(e.status)
      )
    end - a.lead
  from (
    select trigger_type, make_interval(mins => minutes) as lead
    from automations, lateral (select (trigger_configuration::jsonb ->> 'minutes')::integer as given) g,
      lateral (select case when trigger_type = 'event.starts_in' then coalesce(given, 0) else given end as minutes) m
    where tenant_id = tenant and trigger_type in ('event.starts_in', 'function.understaffed') and minutes is not null
  ) a
) moments
$$;
