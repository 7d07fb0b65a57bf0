-- Adds a job for an import of the transaction's tenant, with the rights of the tables' owner, as enqueue_deliveries does. It is due since
-- ever, so that it does not wait where the clock is set back.
create function enqueue_import(id bigint) returns void
language sql security definer set search_path = pg_catalog as $$
insert into jobs.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
  expire_seconds, deletion_seconds, heartbeat_seconds)
select q.name, jsonb_build_object('tenant_id', current_setting('app.tenant_id')::bigint, 'import_id', id),
  'epoch', now() + q.retention_seconds * interval '1 second', q.policy, q.retry_limit, q.retry_delay, q.retry_backoff,
  q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds
from jobs.queue q where q.name = 'imports'
$$;
revoke execute on function enqueue_import from public;
grant execute on function enqueue_import to staffing_tenant;

-- Adds a job for the oldest unfinished import of the transaction's tenant, if it has one: its imports are processed one after the other.
-- Finds it first: on Citus a worker has no queue.
create function enqueue_oldest_import() returns void language plpgsql as $$
declare
  tenant bigint := current_setting('app.tenant_id')::bigint;
  oldest bigint;
begin
  select id into oldest from imports
  where tenant_id = tenant and status in ('queued', 'running')
  order by created_at, id limit 1;
  if found then perform enqueue_import(oldest); end if;
end $$;
