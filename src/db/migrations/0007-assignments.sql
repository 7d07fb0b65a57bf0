-- Assignments of employees to event functions, and their history.
create table assignments (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  employee_id bigint not null,
  event_function_id bigint not null,
  wage_profile_id bigint,
  approved_wage_profile_id bigint,
  status integer not null default 1 check (status between 1 and 8),
  remarks text,
  start timestamptz(0),
  "end" timestamptz(0),
  break_start timestamptz(0),
  break_end timestamptz(0),
  effective_start timestamptz(0),
  effective_end timestamptz(0),
  is_approved boolean not null default false,
  pay_amount numeric(12, 2) check (pay_amount >= 0),
  approved_on timestamptz(0),
  approved_by_planner_id bigint,
  paid_on timestamptz(0),
  assigned_by_availability boolean not null default false,
  auto_assigned boolean not null default false,
  statistics text,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  -- With the id and the values that come before the event function's, so that assignments can be sorted and filtered by what they have
  -- from event functions, and those in a status counted, without reading them.
  unique (tenant_id, event_function_id, employee_id) include (id, status, break_start, break_end, statistics),
  foreign key (tenant_id, employee_id) references employees,
  foreign key (tenant_id, event_function_id) references event_functions,
  foreign key (tenant_id, wage_profile_id) references wage_profiles,
  foreign key (tenant_id, approved_wage_profile_id) references wage_profiles,
  foreign key (tenant_id, approved_by_planner_id) references planners
);
create index on assignments (tenant_id, employee_id, effective_end);
create index on assignments (tenant_id, status, id);
create index on assignments (tenant_id, effective_start, id);
-- For finding what a pay run collects: what is approved and not paid yet is little.
create index assignments_payable_idx on assignments (tenant_id, id) where is_approved and paid_on is null;
-- For finding assignments that overlap a given period: few of an employee's assignments in these statuses end after its start.
create index assignments_held_idx on assignments (tenant_id, employee_id, effective_end) where status in (5, 6, 7);
comment on index assignments_held_idx is 'assignment_holding(status)';
-- For sorting by values that come before those of the event function or the employee: few assignments have them.
create index on assignments (tenant_id, statistics, id) where statistics is not null;
create index on assignments (tenant_id, break_start, id) where break_start is not null;
create index on assignments (tenant_id, break_end, id) where break_end is not null;
select tenant_table('assignments');

create table checkins (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  timestamp timestamptz(0) not null,
  hash text,
  source integer not null check (source in (1, 2)),
  type integer not null check (type between 1 and 4),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, assignment_id, type, timestamp),
  foreign key (tenant_id, assignment_id) references assignments
);
select tenant_table('checkins');

-- History of assignments: rows are only added; forgetting a person clears their remarks.
create table assignment_history (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  employee_id bigint not null,
  action text not null,
  from_status integer,
  to_status integer,
  data jsonb,
  overridden jsonb not null default '[]',
  api_user_id bigint,
  automation_id bigint,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now())
);
create index on assignment_history (tenant_id, assignment_id, id);
create index on assignment_history (tenant_id, employee_id);
select tenant_table('assignment_history', 'select, insert, update (data)');
