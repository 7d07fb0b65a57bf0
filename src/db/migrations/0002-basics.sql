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
  created_at timestamptz(0) not null default date_trunc('second', now()),
  updated_at timestamptz(0) not null default date_trunc('second', now())
);
-- At most one default, so that a join with it adds no rows.
create unique index wage_profiles__is_default__key on wage_profiles (tenant_id) where is_default and not deleted;
select tenant_table('wage_profiles');

create table functions (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  description text,
  project_leader boolean not null default false,
  wage_profile_id bigint,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  updated_at timestamptz(0) not null default date_trunc('second', now()),
  foreign key (tenant_id, wage_profile_id) references wage_profiles
);
create index on functions (tenant_id, name);
select tenant_table('functions');

create table locations (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  code text,
  line_1 text,
  line_2 text,
  zip text,
  city text,
  country text,
  latitude numeric(9, 6) check (latitude between -90 and 90),
  longitude numeric(9, 6) check (longitude between -180 and 180),
  time_zone text,
  deleted boolean not null default false
);
select tenant_table('locations');
