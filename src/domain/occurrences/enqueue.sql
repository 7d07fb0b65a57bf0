-- Adds jobs for deliveries, each to start at its time. Runs with the rights of the tables' owner, so that the tenants' role needs none
-- on the queue; the tenant is that of the transaction.
create function enqueue_deliveries(ids bigint[], times timestamptz[]) returns void
language sql security definer set search_path = pg_catalog as $$
insert into jobs.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
  expire_seconds, deletion_seconds, heartbeat_seconds)
select q.name, jsonb_build_object('tenant_id', current_setting('app.tenant_id')::bigint, 'delivery_id', d.id), d.time,
  d.time + q.retention_seconds * interval '1 second', q.policy, q.retry_limit, q.retry_delay, q.retry_backoff,
  q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds
from unnest(ids, times) d(id, time)
join jobs.queue q on q.name = 'deliveries'
$$;
revoke execute on function enqueue_deliveries from public;
grant execute on function enqueue_deliveries to staffing_tenant;
