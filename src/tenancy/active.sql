-- Returns whether the transaction's tenant is active: what the service does on its own account for a tenant asks it in the transaction that
-- does it. Runs with the rights of the table's owner, since the tenants' role cannot read it.
create function tenant_is_active() returns boolean
language sql stable security definer set search_path = pg_catalog as $$
select active from public.tenants where id = current_setting('app.tenant_id')::bigint
$$;
revoke execute on function tenant_is_active from public;
grant execute on function tenant_is_active to staffing_tenant;
