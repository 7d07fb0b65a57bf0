-- Has the journal of the transaction's tenant followed. Runs with the rights of the table's owner, since the tenants' role cannot write
-- to it.
create function follow_changes() returns void
language sql security definer set search_path = pg_catalog as $$
update public.tenants set followed = true where id = current_setting('app.tenant_id')::bigint and not followed
$$;
revoke execute on function follow_changes from public;
grant execute on function follow_changes to staffing_tenant;
