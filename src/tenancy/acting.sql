-- Returns what the transaction's tenant is now, and what its API user may do: nulls if it has no such one that is active. What the service does
-- in the name of an API user asks it in the transaction that does it. Runs with the rights of the tables' owner, since the tenants' role
-- cannot read tenants.
create function acting_user(api_user bigint)
returns table (active boolean, modules jsonb, name text, read_only boolean, scopes jsonb, hidden jsonb)
language plpgsql stable rows 1 security definer set search_path = pg_catalog as $$
declare
  tenant bigint := current_setting('app.tenant_id')::bigint;
begin
  select t.active, t.modules into active, modules from public.tenants t where t.id = tenant;
  if not found then return; end if;
  select u.name, u.read_only, u.scopes, u.hidden into name, read_only, scopes, hidden
  from public.api_users u where u.tenant_id = tenant and u.id = api_user and u.active;
  return next;
end $$;
revoke execute on function acting_user from public;
grant execute on function acting_user to staffing_tenant;
