-- Automations, their deliveries, and the secrets that webhooks are signed with.
create table automations (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  trigger_type text not null,
  trigger_configuration text not null,
  routine_type text not null,
  routine_configuration text not null,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  -- Without a reference: who wrote it remains known.
  api_user_id bigint,
  target text
);
select tenant_table('automations');

create table automation_deliveries (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  automation_id bigint not null,
  event_id text not null default 'msg_' || gen_random_uuid(),
  event_type text not null,
  data jsonb not null,
  status integer not null default 1 check (status between 1 and 3),
  attempt integer not null default 0,
  response_status integer,
  error text,
  duration integer,
  is_test boolean not null default false,
  -- Without a reference: finished deliveries are deleted.
  replay_of bigint,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  attempted_at timestamptz(0),
  next_attempt_at timestamptz(0) default date_trunc('second', now()),
  depth integer not null default 1,
  lane text,
  position bigint,
  constraint automation_deliveries_next_attempt_at_check check ((status = 1) = (next_attempt_at is not null)),
  foreign key (tenant_id, automation_id) references automations on delete cascade
);
create index on automation_deliveries (tenant_id, automation_id, id);
create index on automation_deliveries (tenant_id, created_at);
create index on automation_deliveries (tenant_id, next_attempt_at);
-- The deliveries of a lane whose first attempt is still to be made, in their order.
create index on automation_deliveries (tenant_id, automation_id, lane, position)
  where lane is not null and status = 1 and attempt = 0;
select tenant_table('automation_deliveries');

-- The jobs that can be claimed, by tenant and in the order in which they become due.
create index deliveries_due on jobs.job_common (group_id, start_after)
  where name = 'deliveries' and state < 'active' and not blocked;

create table automation_occurrences (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  automation_id bigint not null,
  subject_id bigint not null,
  start timestamptz(0) not null,
  unique (tenant_id, automation_id, subject_id, start),
  foreign key (tenant_id, automation_id) references automations on delete cascade
);
select tenant_table('automation_occurrences');

create table automation_followers (
  tenant_id bigint, id bigint check (id = 1), primary key (tenant_id, id),
  position bigint not null default 0
);
select tenant_table('automation_followers');

create table webhook_secrets (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  secret text not null,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  expires_at timestamptz(0)
);
select tenant_table('webhook_secrets', '');
