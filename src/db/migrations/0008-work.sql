-- Results of assignments: contracts, reports, times, positions and pay.
create table assignment_contract (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  planner_id bigint,
  data jsonb not null default '[]',
  document_template_id bigint,
  type text not null default '1',
  file text,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, planner_id) references planners,
  foreign key (tenant_id, document_template_id) references files
);
create index on assignment_contract (tenant_id, file);
select tenant_table('assignment_contract');

create table assignment_employment_reports (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  planner_id bigint,
  data jsonb not null default '[]',
  report_submission_id bigint,
  type integer not null default 1,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, planner_id) references planners,
  foreign key (tenant_id, report_submission_id) references forms
);
select tenant_table('assignment_employment_reports');

create function minutes_between(start timestamptz, "end" timestamptz) returns integer language sql immutable parallel safe
return (extract(epoch from "end" - start) / 60)::integer;

create table work_times (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  event_function_employee_id bigint not null,
  -- A copy, which moves with the assignment: listings in the order of events, of which future ones have no work, are read by its index. The
  -- assignment has the reference: another one would lock the event function after the assignment, against the order of locks.
  event_function_id bigint not null,
  start timestamptz(0) not null,
  "end" timestamptz(0) not null,
  break_start timestamptz(0),
  break_end timestamptz(0),
  source integer not null default 1 check (source between 1 and 4),
  is_approved boolean not null default false,
  approved_on timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  minutes integer not null generated always as (
    minutes_between(start, "end") - coalesce(minutes_between(break_start, break_end), 0)
  ) stored,
  break_minutes integer not null generated always as (coalesce(minutes_between(break_start, break_end), 0)) stored,
  constraint work_times_end_check check ("end" > start),
  foreign key (tenant_id, event_function_employee_id) references assignments
);
create index on work_times (tenant_id, event_function_id);
create index on work_times (tenant_id, start);
select tenant_table('work_times');

create table work_time_proposals (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  start timestamptz(0) not null,
  "end" timestamptz(0) not null,
  break_start timestamptz(0),
  break_end timestamptz(0),
  remarks text,
  source integer not null default 1 check (source in (1, 2, 3)),
  status integer not null default 1 check (status in (1, 2, 3)),
  signed_by_type text,
  signed_by_id bigint,
  signed_at timestamptz(0),
  signature_file_id bigint,
  decided_at timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  constraint work_time_proposals_end_check check ("end" > start),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, signature_file_id) references files
);
create index on work_time_proposals (tenant_id, status);
create index on work_time_proposals (tenant_id, signed_by_id);
select tenant_table('work_time_proposals');

-- At most one livestamp of each type at a given time: a repeated one returns the existing record, as with check-ins.
create table livestamps (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  type integer not null check (type between 1 and 4),
  timestamp timestamptz(0) not null,
  latitude numeric(9, 6) check (latitude between -90 and 90),
  longitude numeric(9, 6) check (longitude between -180 and 180),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, assignment_id, type, timestamp),
  foreign key (tenant_id, assignment_id) references assignments
);
select tenant_table('livestamps');

create table assignment_wages (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  wage_profile_id bigint,
  type text not null default '1',
  payable_amount numeric(14, 4),
  base_value numeric(14, 4),
  factor numeric(14, 6) not null default 1,
  is_disabled boolean not null default false,
  is_valid boolean not null default true,
  "wage_type.name" text,
  "wage_type.external_id" text,
  "wage_type.currency_format" text,
  "wage_type_value.unit" text,
  wage_type_id bigint,
  "wage_type.id" bigint,
  "wage_type.factor" numeric(14, 4),
  "wage_type_value.value" numeric(14, 4),
  derived_base_value numeric(14, 4),
  derived_factor numeric(14, 6),
  line_rate numeric(14, 4) generated always as (
    case when base_value = round("wage_type_value.value" * "wage_type.factor", 4) then "wage_type_value.value" else base_value end
  ) stored,
  line_factor numeric(14, 4) not null generated always as (
    case when base_value = round("wage_type_value.value" * "wage_type.factor", 4) then "wage_type.factor" else 1 end
  ) stored,
  unique (tenant_id, assignment_id, wage_type_id),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
select tenant_table('assignment_wages');

create table wage_proposals (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  wage_type_id bigint not null,
  value numeric(14, 4) not null,
  remarks text,
  status integer not null default 1 check (status in (1, 2, 3)),
  decided_at timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, assignment_id) references assignments
);
create index on wage_proposals (tenant_id, status);
select tenant_table('wage_proposals');

-- Immutable, as required for a generated column, so that reading paysheets does not compute sums.
create function sum_of_lines(lines jsonb) returns numeric language sql immutable parallel safe
return (select coalesce(sum((line ->> 'amount')::numeric), 0) from jsonb_array_elements(lines) line);

create table pay_runs (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  period_start date not null,
  period_end date not null,
  wage_profile_id bigint,
  status integer not null default 1 check (status in (1, 2, 3)),
  paid_on timestamptz(0),
  paysheet_count integer not null default 0,
  totals jsonb not null default '[]',
  total numeric(14, 4) default 0,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  constraint pay_runs_period_end_check check (period_end >= period_start),
  constraint pay_runs_paid_on_check check (paid_on is not null or status <> 3),
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
create index on pay_runs (tenant_id, period_start);
select tenant_table('pay_runs');

-- An assignment is paid once. The paysheets of a pay run go with it, which frees its assignments.
create table paysheets (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  pay_run_id bigint,
  wage_profile_id bigint,
  currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  period_start date not null,
  period_end date not null,
  status integer not null default 1 check (status in (1, 2, 3)),
  lines jsonb not null default '[]',
  total numeric(14, 4) not null generated always as (sum_of_lines(lines)) stored,
  paid_on timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  worked_on date,
  -- Copies, since the assignments of a pay run do not move: its lines are found without them. The assignment has the references.
  event_function_id bigint,
  paid_employee_id bigint,
  constraint paysheets_period_end_check check (period_end >= period_start),
  constraint paysheets_paid_on_check check ((paid_on is not null) = (status = 3)),
  unique (tenant_id, assignment_id),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, pay_run_id) references pay_runs,
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
create index on paysheets (tenant_id, period_start);
select tenant_table('paysheets');
