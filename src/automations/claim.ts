import type { QueueDatabase } from '../db/queue.ts';
import type { DeliveryJob } from './deliver.ts';

/** How many deliveries are attempted at once. */
export interface ConcurrencyLimits {
  /** By one process. */
  readonly process: number;
  /** For one tenant, by all processes. */
  readonly tenant: number;
  /** To one host, by all processes. */
  readonly target: number;
}

/** A job that this process has to attempt. */
export type Claimed = Awaited<ReturnType<typeof claimJobs>>[number];

/**
 * Claims at most `count` due jobs, in turn for the tenants that have some.
 * No tenant waits for another's: each tenant has its first due job claimed before any has its second. Concurrent
 * claims may exceed the limits for a moment. Disabled tenants have no turn.
 */
export const claimJobs = async (
  count: number,
  { tenant, target }: Pick<ConcurrencyLimits, 'tenant' | 'target'>,
  database: QueueDatabase,
) => {
  const { rows } = await database.executeSql(claim, [count, tenant, target]);
  return rows.map(({ id, data, retry_count }) => ({
    id: String(id),
    data: data as unknown as DeliveryJob,
    /** Distinguishes its claim from others of the job. */
    retryCount: Number(retry_count),
  }));
};

/** Returns a claimed job to the queue as it was, to be claimed as soon as it can be attempted. */
export const returnJob = async ({ id, retryCount }: Claimed, database: QueueDatabase): Promise<void> => {
  await database.executeSql(giveBack, [id, retryCount]);
};

const giveBack = `
update jobs.job set state = 'retry', heartbeat_on = null
where name = 'deliveries' and id = $1 and state = 'active' and retry_count = $2`;

/** As the index of the due jobs has it (migration of the automations). */
const due = `name = 'deliveries' and state < 'active' and not blocked`;

const claim = `
with recursive tenants (id) as (
  select min(group_id) from jobs.job where ${due}
  union all
  select (select min(group_id) from jobs.job where ${due} and group_id > tenants.id) from tenants where id is not null
),
active as (
  select group_id, data ->> 'target' as target from jobs.job
  where name = 'deliveries' and state = 'active' and group_id is not null
),
busy as (select target, count(*) as active from active where target is not null group by target),
candidates as (
  select job.*, row_number() over (partition by job.group_id order by job.start_after, job.id) + (
    select count(*) from active where active.group_id = job.group_id
  ) as place
  from (
    -- Jobs of disabled tenants stay until these are enabled.
    select id from tenants where exists (select from public.tenants t where t.id = tenants.id::bigint and t.active)
  ) tenants cross join lateral (
    select id, group_id, data ->> 'target' as target, start_after from jobs.job
    where ${due} and group_id = tenants.id and start_after <= jobs.job_now()
      and not exists (select from busy where busy.target = data ->> 'target' and busy.active >= $3)
    order by start_after limit $2
  ) job
),
placed as (
  select candidates.*, row_number() over (partition by target order by place, start_after, id) + coalesce((
    select busy.active from busy where busy.target = candidates.target
  ), 0) as target_place
  from candidates where place <= $2
),
chosen as (
  select id from placed where target is null or target_place <= $3 order by place, start_after, id limit $1
)
update jobs.job set
  state = 'active', started_on = jobs.job_now(), heartbeat_on = jobs.job_now(),
  retry_count = case when started_on is null then retry_count else retry_count + 1 end
where ${due} and id = any (array(select id from chosen))
returning id, data, retry_count`;
