-- Adds jobs for deliveries, each to start at its time. Runs with the rights of the tables' owner, so that the tenants' role needs none
-- on the queue; the tenant is that of the transaction. Jobs are claimed by their tenant (group_id) and by the host that they send to
-- (target). The times are those of the tenant's clock, the queue has the real one.
create function enqueue_deliveries(ids bigint[], times timestamptz[]) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  tenant bigint := current_setting('app.tenant_id')::bigint;
  known bigint[];
  targets text[];
begin
-- By itself: Citus joins no table of tenants with the queue, which is on the coordinator.
select array_agg(v.id), array_agg(a.target) into known, targets
from public.automation_deliveries v
join public.automations a on a.tenant_id = tenant and a.id = v.automation_id
where v.tenant_id = tenant and v.id = any(ids);
insert into jobs.job (name, data, group_id, start_after, keep_until, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
  expire_seconds, deletion_seconds, heartbeat_seconds)
select q.name, jsonb_build_object('tenant_id', tenant, 'delivery_id', d.id, 'target', v.target), tenant::text, d.time,
  d.time + q.retention_seconds * interval '1 second', q.policy, q.retry_limit, q.retry_delay, q.retry_backoff,
  q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds
from unnest(ids, times) given(id, time)
cross join lateral (select given.id, given.time - (public.tenant_now() - now())) d(id, time)
join unnest(known, targets) v(id, target) on v.id = d.id
join jobs.queue q on q.name = 'deliveries';
end $$;
revoke execute on function enqueue_deliveries from public;
grant execute on function enqueue_deliveries to staffing_tenant;

-- Returns those of some deliveries of the transaction's tenant that have no job: none that waits or is in progress.
create function deliveries_without_job(ids bigint[]) returns setof bigint
language sql stable security definer set search_path = pg_catalog as $$
select unnest(ids) except
select (data ->> 'delivery_id')::bigint from jobs.job
where name = 'deliveries' and group_id = current_setting('app.tenant_id') and state <= 'active'
$$;
revoke execute on function deliveries_without_job from public;
grant execute on function deliveries_without_job to staffing_tenant;
