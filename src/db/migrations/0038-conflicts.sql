-- What stands against the work of employees: kept by the worker in the background (src/domain/conflicts). Nothing refers to what
-- they are about, so that they hinder no deletion.
create table conflicts (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  type text not null,
  severity text not null,
  basis text,
  rule_id bigint,
  kind text,
  employee_id bigint not null,
  assignment_id bigint,
  other_assignment_id bigint,
  assignment_ids jsonb not null,
  busy_date_id bigint,
  event_id bigint,
  client_id bigint,
  start timestamptz(0) not null,
  "end" timestamptz(0) not null,
  actual integer,
  "limit" integer,
  unit text,
  overridden boolean not null default false,
  opened_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  category text
);
create index on conflicts (tenant_id, employee_id);
create index on conflicts (tenant_id, "end", start);
select tenant_table('conflicts');

-- How far each tenant's conflicts are: locked by who works on them.
create table conflict_progress (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  position bigint not null,
  target bigint not null,
  epoch text not null,
  basis text not null,
  since timestamptz(0) not null
);
select tenant_table('conflict_progress');

-- The employees whose work is to be judged before the position reaches the target.
create table conflict_people (
  tenant_id bigint, id bigint, primary key (tenant_id, id)
);
select tenant_table('conflict_people');
