-- Returns the active tenant with a slug, or else the tenant with a registered host name, or else the disabled one with the slug; and beside it
-- what a token of it says of its API user, and whether the token is revoked or the API user inactive: nulls if the tenant has no such token.
-- Who calls is found in one statement without a transaction around it, which enters the tenant; a distributed database runs it where it
-- arrives, and routes its parts. Instances of the release before call it during an upgrade: another signature needs another name.
create function caller(own_slug text, own_host text, token text, api_user bigint)
returns table (
  id bigint, slug text, name text, time_zone text, modules jsonb, rate_limit integer, sandbox boolean, clock_ahead bigint,
  active boolean,
  user_name text, read_only boolean, revoked boolean, scopes jsonb, hidden jsonb
)
language plpgsql rows 1 as $$
begin
  perform set_config('lock_timeout', '2s', true);
  select t.id, t.slug, t.name, t.time_zone, t.modules, t.rate_limit, t.sandbox, t.clock_ahead, t.active
  into id, slug, name, time_zone, modules, rate_limit, sandbox, clock_ahead, active
  from tenants t
  where t.id = coalesce(
    (select s.id from tenants s where s.slug = own_slug and s.active),
    (select h.tenant_id from tenant_hosts h where h.host = own_host),
    (select s.id from tenants s where s.slug = own_slug)
  );
  if id is null then return; end if;
  if token is not null then
    perform set_config('role', 'staffing_tenant', true);
    execute 'set local app.tenant_id = ' || id;
    select u.name, u.read_only, t.revoked_at is not null or not u.active, u.scopes, u.hidden
    into user_name, read_only, revoked, scopes, hidden
    from tokens t join api_users u on u.tenant_id = t.tenant_id and u.id = t.api_user_id
    where t.tenant_id = caller.id and t.jti = token and t.api_user_id = api_user;
  end if;
  return next;
end $$;
