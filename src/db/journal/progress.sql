-- Returns how far the journals of the given tenants are: the last position, the one that conflicts follow from, and whether an entry can
-- get the next one, or the journal was written on another server (renewal.ts). One statement for all tenants that are waited for; it enters one tenant after the other, since
-- row security hides all others.
create function journal_progress(tenants bigint[]) returns table (tenant bigint, head bigint, more boolean, judged bigint)
language plpgsql as $$
declare
  present pg_snapshot := pg_current_snapshot();
  own text := server_identity();
  server text;
begin
  foreach tenant in array tenants loop
    execute 'set local app.tenant_id = ' || tenant;
    select h.position, h.server into head, server from journal_heads h where h.tenant_id = tenant;
    select p.position into judged from conflict_progress p where p.tenant_id = tenant;
    more := server <> own or exists (
      select from journal j
      where j.tenant_id = tenant and j.position is null
        and (j.transaction < pg_snapshot_xmin(present) or j.transaction >= pg_snapshot_xmax(present))
    );
    return next;
  end loop;
end $$;
