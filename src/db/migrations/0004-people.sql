-- People: planners, clients with their contacts, employees with their busy dates.
create table planners (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  first_name text not null,
  last_name text not null,
  email text,
  phone text,
  status integer not null default 1 check (status in (1, 2)),
  language_id bigint,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, language_id) references languages
);
select tenant_table('planners');

create table clients (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  relation_id bigint,
  external_id text,
  status integer not null default 1 check (status in (1, 2)),
  company text not null,
  address_first text,
  address_second text,
  zip text,
  city text,
  country bigint,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, country) references collection_values
);
create index on clients (tenant_id, company);
select tenant_table('clients');

create table contacts (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  relation_id bigint,
  client_id bigint not null,
  status integer not null default 1 check (status in (1, 2)),
  firstname text,
  lastname text not null,
  email text,
  mobile text,
  gender bigint,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, gender) references collection_values
);
select tenant_table('contacts');

create table employees (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  status integer not null default 1 check (status between 0 and 6),
  firstname text not null,
  lastname text not null,
  email text,
  mobile text,
  birthday date,
  gender bigint,
  address_first text,
  address_second text,
  zip text,
  city text,
  country bigint,
  language_id bigint,
  wage_profile_id bigint,
  qualifications jsonb not null default '[]',
  last_active_at timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, gender) references collection_values,
  foreign key (tenant_id, country) references collection_values,
  foreign key (tenant_id, language_id) references languages,
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
create index on employees (tenant_id, lastname, firstname);
create index on employees (tenant_id, status);
select tenant_table('employees');

create table busy_dates (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  employee_id bigint not null,
  reason text,
  start timestamptz(0) not null,
  "end" timestamptz(0) not null,
  busy_entry jsonb,
  constraint busy_dates_end_check check ("end" > start),
  foreign key (tenant_id, employee_id) references employees
);
create index on busy_dates (tenant_id, employee_id, start);
select tenant_table('busy_dates');
