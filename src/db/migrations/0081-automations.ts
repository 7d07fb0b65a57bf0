import { sql } from 'kysely';
import { TENANT_ROLE } from '../enter.ts';
import { JOBS, queues } from '../queue.ts';
import { type Definitions, tenantTable } from '../schema.ts';

/** What automations do and have done, and what their webhooks are signed with. */
export const up = async (db: Definitions): Promise<void> => {
  await tenantTable(db, 'automation_deliveries', {
    columns: {
      automation_id: 'bigint not null',
      event_id: `text not null default 'msg_' || gen_random_uuid()`,
      event_type: 'text not null',
      data: 'jsonb not null',
      status: 'integer not null default 1 check (status between 1 and 3)',
      attempt: 'integer not null default 0',
      response_status: 'integer',
      error: 'text',
      duration: 'integer',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
      attempted_at: 'timestamptz(0)',
      next_attempt_at: `timestamptz(0) default date_trunc('second', now()) check ((status = 1) = (next_attempt_at is not null))`,
      depth: 'integer not null default 1',
    },
    references: { automation_id: { table: 'automations', onDelete: 'cascade' } },
    indexes: [['automation_id', 'id'], ['created_at'], ['next_attempt_at']],
  });
  await enqueueing(db);
  await tenantTable(db, 'automation_occurrences', {
    columns: { automation_id: 'bigint not null', subject_id: 'bigint not null', start: 'timestamptz(0) not null' },
    references: { automation_id: { table: 'automations', onDelete: 'cascade' } },
    unique: [['automation_id', 'subject_id', 'start']],
  });
  await tenantTable(db, 'webhook_secrets', {
    columns: {
      secret: 'text not null',
      created_at: `timestamptz(0) not null default date_trunc('second', now())`,
      expires_at: 'timestamptz(0)',
    },
    grants: [],
  });
};

/**
 * Adds the jobs of deliveries, each to be tried at its time. It has the rights of the tables' owner, so that tenants need none on the
 * queue; the tenant is the transaction's own.
 */
const enqueueing = async (db: Definitions): Promise<void> => {
  await sql
    .raw(`
create function enqueue_deliveries(ids bigint[], times timestamptz[]) returns void
language sql security definer set search_path = pg_catalog as $$
insert into ${JOBS}.job (name, data, start_after, keep_until, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
  expire_seconds, deletion_seconds, heartbeat_seconds)
select q.name, jsonb_build_object('tenant_id', current_setting('app.tenant_id')::bigint, 'delivery_id', d.id), d.time,
  d.time + q.retention_seconds * interval '1 second', q.policy, q.retry_limit, q.retry_delay, q.retry_backoff,
  q.retry_delay_max, q.expire_seconds, q.deletion_seconds, q.heartbeat_seconds
from unnest(ids, times) d(id, time) join ${JOBS}.queue q on q.name = '${queues.deliveries}'
$$`)
    .execute(db);
  await sql.raw('revoke execute on function enqueue_deliveries from public').execute(db);
  await sql.raw(`grant execute on function enqueue_deliveries to ${TENANT_ROLE}`).execute(db);
};
