-- Public holidays: windows of wage types can apply on them instead of on days of the week.
create table public_holidays (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  date date not null,
  name text not null,
  country_id bigint,
  meta jsonb,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, external_id)
);
create index on public_holidays (tenant_id, date);
select tenant_table('public_holidays');
