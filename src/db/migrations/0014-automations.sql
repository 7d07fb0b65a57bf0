-- Automations, their deliveries, and the secrets that webhooks are signed with.
create table automations (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  trigger_type text not null,
  trigger_configuration text not null,
  routine_type text not null,
  routine_configuration text not null,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now())
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
  created_at timestamptz(0) not null default date_trunc('second', now()),
  attempted_at timestamptz(0),
  next_attempt_at timestamptz(0) default date_trunc('second', now()),
  depth integer not null default 1,
  constraint automation_deliveries_next_attempt_at_check check ((status = 1) = (next_attempt_at is not null)),
  foreign key (tenant_id, automation_id) references automations on delete cascade
);
create index on automation_deliveries (tenant_id, automation_id, id);
create index on automation_deliveries (tenant_id, created_at);
create index on automation_deliveries (tenant_id, next_attempt_at);
select tenant_table('automation_deliveries');

create table automation_occurrences (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  automation_id bigint not null,
  subject_id bigint not null,
  start timestamptz(0) not null,
  unique (tenant_id, automation_id, subject_id, start),
  foreign key (tenant_id, automation_id) references automations on delete cascade
);
select tenant_table('automation_occurrences');

create table webhook_secrets (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  secret text not null,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  expires_at timestamptz(0)
);
select tenant_table('webhook_secrets', '');
