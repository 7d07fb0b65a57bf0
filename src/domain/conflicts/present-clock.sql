-- Returns the milliseconds by which the clock of the transaction's tenant is ahead now: a process may have read it before. Runs with the
-- rights of the table's owner, since the tenants' role cannot read it.
create function present_clock() returns bigint
language sql stable security definer set search_path = pg_catalog as $$
select clock_ahead from public.tenants where id = current_setting('app.tenant_id')::bigint
$$;
revoke execute on function present_clock from public;
grant execute on function present_clock to staffing_tenant;
