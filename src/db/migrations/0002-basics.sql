-- Lookup tables that other tables refer to.
create table languages (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  code text,
  name text not null,
  is_default boolean not null default false,
  active boolean not null default false
);
select tenant_table('languages');

create table wage_profiles (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  external_id text,
  currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  is_default boolean not null default false,
  wage_types jsonb not null default '[]',
  deleted boolean not null default false,
  default_place integer generated always as (case when is_default and not deleted then 1 end) stored,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now())
);
-- At most one default, so that a join with it adds no rows. Postgres removes an unused join only if the unique index is not partial.
create unique index wage_profiles__is_default__key on wage_profiles (tenant_id, default_place);
select tenant_table('wage_profiles');

create table functions (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  name text not null,
  description text,
  project_leader boolean not null default false,
  wage_profile_id bigint,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id),
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
create index on functions (tenant_id, name);
select tenant_table('functions');
