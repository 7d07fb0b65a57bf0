-- Returns whether what was read of a tenant in an earlier snapshot is still what it has: the version of its fields is the same, and no
-- transaction that the snapshot could not see has entered a change of one of the resources. Numbered or not is the same to it. One
-- statement without a transaction around it: it enters the tenant itself. False if it cannot see the tenant.
create function snapshot_holds(tenant bigint, fields uuid, resources text[], earlier pg_snapshot) returns boolean
language plpgsql as $$
begin
  execute 'set local app.tenant_id = ' || tenant;
  perform set_config('role', 'staffing_tenant', true), set_config('lock_timeout', '2s', true);
  return exists (select from dynamic_versions v where v.tenant_id = tenant and v.id = 1 and v.version = fields) and not exists (
    -- One look-up for each resource: with `resource = any(…)` the server would scan for the tenant's oldest transaction.
    select from unnest(resources) as own (resource)
    where exists (
      select from journal j
      where j.tenant_id = tenant and j.resource = own.resource
        and j.transaction >= pg_snapshot_xmin(earlier) and not pg_visible_in_snapshot(j.transaction, earlier)
    )
  );
end $$;
