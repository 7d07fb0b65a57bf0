-- Projects, their events, and the functions to be staffed at these.
create table projects (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  client_id bigint,
  contact_id bigint,
  planner_id bigint,
  description text,
  external_id text,
  configurations jsonb,
  reporting_form_ids jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, contact_id) references contacts,
  foreign key (tenant_id, planner_id) references planners
);
create index on projects (tenant_id, name);
select tenant_table('projects');

create table events (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  project_id bigint not null,
  client_id bigint,
  contact_id bigint,
  planner_id bigint,
  location_id bigint,
  name text not null,
  description text,
  status integer not null default 1 check (status in (1, 2, 3, 5)),
  start timestamptz(0) not null,
  "end" timestamptz(0) not null,
  break_start timestamptz(0),
  break_end timestamptz(0),
  is_locked boolean not null default false,
  auto_assign_enabled boolean not null default false,
  auto_assign_mode text not null default 'assigned',
  overbooking_percent integer not null default 0 check (overbooking_percent >= 0),
  holding integer not null default 0,
  filled text not null generated always as (holding::text || '/' || quantity::text) stored,
  quantity integer not null default 0,
  configurations jsonb,
  reporting_form_ids jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  constraint events_end_check check ("end" > start),
  foreign key (tenant_id, project_id) references projects,
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, contact_id) references contacts,
  foreign key (tenant_id, planner_id) references planners,
  foreign key (tenant_id, location_id) references locations
);
create index on events (tenant_id, name);
create index on events (tenant_id, start);
create index on events (tenant_id, "end");
create index on events (tenant_id, status, start);
create index on events (tenant_id, project_id, start);
select tenant_table('events');

create table event_functions (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  event_id bigint not null,
  function_id bigint not null,
  shift_name text,
  description text,
  quantity integer not null check (quantity >= 0),
  start timestamptz(0),
  "end" timestamptz(0),
  break_start timestamptz(0),
  break_end timestamptz(0),
  location_id bigint,
  wage_profile_id bigint,
  is_locked boolean not null default false,
  required_qualifications jsonb not null default '[]',
  holding integer not null default 0,
  filled text not null generated always as (holding::text || '/' || quantity::text) stored,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  constraint event_functions_end_check check ("end" > start),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, function_id) references functions,
  foreign key (tenant_id, location_id) references locations,
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
select tenant_table('event_functions');
