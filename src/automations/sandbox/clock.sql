-- Has the clock of the transaction's tenant moved, if it is a sandbox. Runs with the rights of the table's owner, since the tenants' role
-- cannot write to it.
create function set_clock_due(due timestamptz) returns void
language sql security definer set search_path = pg_catalog as $$
update public.tenants set clock_due = greatest(clock_due, due)
where id = current_setting('app.tenant_id')::bigint and sandbox
$$;
revoke execute on function set_clock_due from public;
grant execute on function set_clock_due to staffing_tenant;

-- Moves a clock forward to a moment on its way to what it is being moved to; the queue of the real clock follows.
create function step_clock(sandbox_id bigint, moment timestamptz) returns void language plpgsql as $$
declare
  before bigint;
  ahead bigint;
begin
  select clock_ahead into before from tenants where id = sandbox_id and sandbox and clock_due is not null for update;
  if not found then return; end if;
  ahead := greatest(before, ceil(extract(epoch from moment - now()) * 1000)::bigint);
  update tenants set clock_ahead = ahead, clock_due = nullif(greatest(clock_due, moment), moment) where id = sandbox_id;
  update jobs.job set start_after = start_after - (ahead - before) * interval '1 millisecond'
  where name = 'deliveries' and state < 'active' and not blocked and group_id = sandbox_id::text;
end $$;
