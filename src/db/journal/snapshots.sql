-- Returns for each of several earlier reads whether what was read is still what its tenant has: the version of its fields is the same, and
-- no transaction that the read's snapshot could not see has entered a change of one of the resources (an array literal). Numbered or not
-- is the same to it. One statement without a transaction around it: it enters one tenant after the other. False if it cannot see a tenant,
-- and for a snapshot of another server.
create function snapshots_hold(
  tenants bigint[], versions uuid[], resources text[], snapshots pg_snapshot[], servers text[]
) returns boolean[]
language plpgsql as $$
declare
  held boolean[] := '{}';
  present pg_snapshot := pg_current_snapshot();
  server text := server_identity();
begin
  perform set_config('role', 'staffing_tenant', true), set_config('lock_timeout', '2s', true);
  for n in 1 .. cardinality(tenants) loop
    execute 'set local app.tenant_id = ' || tenants[n];
    held := held || (
      servers[n] = server and pg_snapshot_xmax(snapshots[n]) <= pg_snapshot_xmax(present)
      and exists (select from dynamic_versions v where v.tenant_id = tenants[n] and v.id = 1 and v.version = versions[n])
      and not exists (
        -- One look-up for each resource: with `resource = any(…)` the server would scan for the tenant's oldest transaction.
        select from unnest(resources[n]::text[]) as own (resource)
        where exists (
          select from journal j
          where j.tenant_id = tenants[n] and j.resource = own.resource
            and j.transaction >= pg_snapshot_xmin(snapshots[n]) and not pg_visible_in_snapshot(j.transaction, snapshots[n])
        )
      )
    );
  end loop;
  return held;
end $$;
