-- Billing of clients.
create table billing_profiles (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  external_id text,
  client_id bigint,
  currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  is_default boolean not null default false,
  deleted boolean not null default false,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, client_id) references clients
);
-- The name tells which field to report.
create unique index billing_profiles__is_default__key on billing_profiles (tenant_id, client_id) nulls not distinct
where is_default and not deleted;
select tenant_table('billing_profiles');

create table billing_components (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  billing_profile_id bigint not null,
  name text not null,
  external_id text,
  function_id bigint,
  rate numeric(14, 4) not null,
  unit text not null default 'hour' check (unit in ('hour', 'day', 'flat')),
  factor numeric(14, 4) not null default 1,
  min_quantity numeric(14, 4),
  tax_rate numeric(14, 4),
  deleted boolean not null default false,
  foreign key (tenant_id, billing_profile_id) references billing_profiles,
  foreign key (tenant_id, function_id) references functions
);
select tenant_table('billing_components');

create table assignment_billings (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  assignment_id bigint not null,
  billing_profile_id bigint not null,
  billing_component_id bigint not null,
  quantity numeric(14, 4) not null,
  unit text not null check (unit in ('hour', 'day', 'flat')),
  rate numeric(14, 4) not null,
  factor numeric(14, 4) not null default 1,
  billable_amount numeric(14, 4) not null,
  currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  is_disabled boolean not null default false,
  is_valid boolean not null default true,
  billed_on timestamptz(0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, assignment_id) references assignments,
  foreign key (tenant_id, billing_profile_id) references billing_profiles,
  foreign key (tenant_id, billing_component_id) references billing_components
);
select tenant_table('assignment_billings');
