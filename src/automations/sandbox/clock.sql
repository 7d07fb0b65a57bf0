-- Has the clock of the transaction's tenant moved, if it is a sandbox. Runs with the rights of the table's owner, since the tenants' role
-- cannot write to it.
create function set_clock_due(due timestamptz) returns void
language sql security definer set search_path = pg_catalog as $$
update public.tenants set clock_due = greatest(clock_due, due)
where id = current_setting('app.tenant_id')::bigint and sandbox
$$;
revoke execute on function set_clock_due from public;
grant execute on function set_clock_due to staffing_tenant;

-- Moves a clock forward to a moment (null: not at all) on its way to what it is being moved to; the queue of the real clock follows.
-- Returns by how much it is ahead then, and what it is still being moved to; nothing while the tenant is disabled.
create function step_clock(sandbox_id bigint, moment timestamptz) returns table (ahead bigint, due timestamptz)
language plpgsql as $$
declare
  before bigint;
begin
  select t.clock_ahead, t.clock_due into before, due from tenants t where t.id = sandbox_id and t.sandbox and t.active for update;
  if not found then return; end if;
  ahead := before;
  if due is not null and moment is not null then
    ahead := greatest(before, ceil(extract(epoch from moment - now()) * 1000)::bigint);
    due := nullif(greatest(due, moment), moment);
    update tenants set clock_ahead = step_clock.ahead, clock_due = step_clock.due where id = sandbox_id;
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
