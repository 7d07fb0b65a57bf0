-- Returns the modules of the transaction's tenant; null: the tenant is disabled. What the service does on its own account for a tenant asks
-- it in the transaction that does it. Runs with the rights of the table's owner, since the tenants' role cannot read it.
create function active_modules() returns jsonb
language sql stable security definer set search_path = pg_catalog as $$
select modules from public.tenants where id = current_setting('app.tenant_id')::bigint and active
$$;
revoke execute on function active_modules from public;
grant execute on function active_modules to staffing_tenant;
