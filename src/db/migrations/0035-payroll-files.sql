-- Files for payroll programs: their formats, which are data, and what was exported.
create table payroll_formats (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  name text not null,
  encoding text not null default 'utf-8',
  newline text not null default 'crlf',
  delimiter text default ';',
  quote text default '"',
  "decimal" text not null default '.',
  date text not null default 'yyyy-MM-dd',
  header text,
  footer text,
  group_by jsonb,
  cells jsonb not null,
  variables jsonb not null default '{}',
  maps jsonb not null default '{}',
  required jsonb not null default '[]',
  file_name text not null default '{{name}}.csv',
  escape_formulas boolean not null default false,
  preset text,
  meta jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id)
);
create index on payroll_formats (tenant_id, name);
select tenant_table('payroll_formats');

create table payroll_exports (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  pay_run_id bigint not null,
  payroll_format_id bigint not null,
  file_id bigint not null,
  sha256 text not null,
  lines integer not null,
  totals jsonb not null,
  acknowledged_on timestamptz(0),
  reference text,
  created_by bigint not null,
  preview jsonb,
  meta jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, pay_run_id) references pay_runs,
  foreign key (tenant_id, payroll_format_id) references payroll_formats,
  foreign key (tenant_id, file_id) references files,
  foreign key (tenant_id, created_by) references api_users
);
select tenant_table('payroll_exports');
