-- Returns what the transaction's tenant is now, and what its API user may do: nulls if it has no such one that is active. What the service does
-- in the name of an API user asks it in the transaction that does it. Runs with the rights of the tables' owner, since the tenants' role
-- cannot read tenants.
create function acting_user(api_user bigint)
returns table (active boolean, modules jsonb, name text, read_only boolean, scopes jsonb, hidden jsonb)
language sql stable rows 1 security definer set search_path = pg_catalog as $$
select t.active, t.modules, u.name, u.read_only, u.scopes, u.hidden
from public.tenants t
left join public.api_users u on u.tenant_id = t.id and u.id = api_user and u.active
where t.id = current_setting('app.tenant_id')::bigint
$$;
revoke execute on function acting_user from public;
grant execute on function acting_user to staffing_tenant;
