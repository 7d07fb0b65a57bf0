-- Working-time rules, judged in the application: those of a tenant come with its fields.
create table work_rules (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  name text not null,
  kind text not null,
  mode text not null default 'warn',
  basis text not null default 'both',
  parameters jsonb not null,
  applies_to jsonb not null default '{}',
  "except" jsonb,
  valid_from date,
  valid_to date,
  time_zone text,
  source text,
  preset text,
  meta jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id)
);
create index on work_rules (tenant_id, name);
select tenant_table('work_rules');

alter table busy_dates add column counts_as_work boolean not null default false;
