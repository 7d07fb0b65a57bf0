-- Roles belong to the whole cluster, so that migrations of several databases may create the role concurrently: then one of several
-- errors occurs, although the role exists.
do $$ begin
  if not exists (select from pg_roles where rolname = 'staffing_tenant') then
    create role staffing_tenant nologin;
  end if;
exception when duplicate_object or unique_violation or internal_error then null;
end $$;

-- Revokes what PUBLIC has and the tenants' role does not need: temporary tables, large objects, session locks, notifications, and
-- statistics of other sessions. The migrating user may lack the right to revoke it; the service's statements use none of it.
do $$
declare
  taking text;
begin
  for taking in
    select format('revoke temporary on database %I from public', current_database())
    union all
    select format('revoke execute on function %s from public', oid::regprocedure) from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace
      and proname ~ '^(lo_.*|loread|lowrite|pg_(try_)?advisory_(lock|unlock).*|pg_notify|pg_listening_channels)$'
    union all
    select format('revoke select on %s from public', oid::regclass) from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind = 'v' and relname ~ '^pg_(stat|statio|locks)'
      and relname not in ('pg_stats', 'pg_stats_ext', 'pg_stats_ext_exprs')
  loop
    begin
      execute taking;
      if taking like 'revoke select%' then
        execute replace(replace(taking, 'revoke', 'grant'), 'from public', 'to pg_monitor');
      end if;
    exception when insufficient_privilege then null;
    end;
  end loop;
end $$;

-- For exclusion constraints of later migrations; optional.
do $$ begin
  if exists (select from pg_available_extensions where name = 'btree_gist') then
    create extension if not exists btree_gist;
  end if;
exception when insufficient_privilege then null;
end $$;

-- Prepares a table for tenant data. Its primary key must start with tenant_id. Call it after the table's indexes are created, and
-- again after columns, keys or references are added:
--   * row security, also for the owner, restricts a transaction to the rows of its tenant
--   * text columns get the ICU root collation, so that they sort the same on every server
--   * each foreign key gets an index, unless an index starts with its columns
--   * constraints are named after their columns, as src/db/errors.ts expects: <column>_fkey, <table>__<column>__key
create function tenant_table(name regclass, grants text default 'select, insert, update, delete') returns void
language plpgsql as $$
declare
  texts text;
  key record;
begin
  select string_agg(format('alter %I type text collate "und-x-icu"', attname), ', ') into texts
  from pg_attribute
  where attrelid = name and attnum > 0 and not attisdropped
    and atttypid = 'text'::regtype and attcollation <> '"und-x-icu"'::regcollation;
  if texts is not null then execute format('alter table %s %s', name, texts); end if;

  for key in
    select conname, contype, conkey::smallint[] as numbers, columns,
      case contype when 'f' then names || '_fkey' else relname || '__' || names || '__key' end as expected
    from pg_constraint
    join pg_class c on c.oid = conrelid
    cross join lateral (
      select string_agg(quote_ident(attname), ', ' order by place) as columns,
        string_agg(attname, '__' order by place) filter (where attname <> 'tenant_id') as names
      from unnest(conkey) with ordinality k(number, place)
      join pg_attribute on attrelid = conrelid and attnum = number
    ) a
    where conrelid = name and contype in ('f', 'u')
    order by conkey
  loop
    if length(key.expected) > 63 then raise 'The name % is longer than 63 bytes.', key.expected; end if;
    if key.conname <> key.expected then
      execute format('alter table %s rename constraint %I to %I', name, key.conname, key.expected);
    end if;
    if key.contype = 'f' and not exists (
      select from pg_index
      where indrelid = name and indpred is null and (indkey::smallint[])[0:cardinality(key.numbers) - 1] = key.numbers
    ) then
      execute format('create index on %s (%s)', name, key.columns);
    end if;
  end loop;

  execute format('alter table %s enable row level security, force row level security', name);
  if not exists (select from pg_policy where polrelid = name) then
    -- Outside a tenant's transaction, the setting is empty or null, which matches no rows.
    execute format(
      'create policy tenant on %s using (%s) with check (%2$s)', name,
      'tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::bigint'
    );
  end if;
  if grants <> '' then execute format('grant %s on %s to staffing_tenant', grants, name); end if;
end $$;

-- Returns the time of the transaction by the tenant's clock, which is ahead of the real one in a sandbox. All times of the trade are
-- taken from it; those of tokens, of signatures and of retention are real.
create function tenant_now() returns timestamptz language sql stable parallel safe as $$
  select now() + coalesce(nullif(current_setting('app.clock_ahead', true), ''), '0')::interval
$$;

create table tenants (
  id bigint generated by default as identity primary key,
  slug text not null constraint tenants__slug__key unique check (slug = lower(slug)),
  name text collate "und-x-icu" not null,
  time_zone text not null,
  modules jsonb not null,
  rate_limit integer check (rate_limit > 0),
  -- Milliseconds by which the clock of a sandbox is ahead.
  clock_ahead bigint not null default 0 check (clock_ahead >= 0),
  active boolean not null default true,
  -- Whether it has had an automation that changes of records trigger.
  followed boolean not null default false,
  created_at timestamptz(0) not null default now()
);

create table tenant_hosts (
  host text primary key check (host = lower(host)),
  tenant_id bigint not null references tenants
);
create index on tenant_hosts (tenant_id);

create table api_users (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  name text not null,
  read_only boolean not null default false,
  scopes jsonb not null default '[]',
  hidden jsonb not null default '[]',
  active boolean not null default true,
  created_at timestamptz(0) not null default now(),
  unique (tenant_id, name)
);
select tenant_table('api_users', 'select');

create table tokens (
  tenant_id bigint, jti text, primary key (tenant_id, jti),
  api_user_id bigint not null,
  issued_at timestamptz(0) not null default now(),
  expires_at timestamptz(0) not null,
  revoked_at timestamptz(0),
  foreign key (tenant_id, api_user_id) references api_users
);
select tenant_table('tokens', 'select');

-- The next unclaimed id of each table; see src/db/id-blocks. There is no foreign key to tenants, since ids are claimed in separate
-- transactions, which may precede the one that adds the tenant.
create table id_blocks (
  tenant_id bigint, "table" text, primary key (tenant_id, "table"),
  next bigint not null check (next > 1)
);
select tenant_table('id_blocks', '');

-- Responses to requests with an Idempotency-Key.
create table idempotency_keys (
  tenant_id bigint, hash text, primary key (tenant_id, hash),
  api_user_id bigint not null,
  request text not null,
  reply text,
  shown jsonb not null default '[]',
  created_at timestamptz(0) not null default date_trunc('second', now()),
  foreign key (tenant_id, api_user_id) references api_users on delete cascade
);
create index on idempotency_keys (tenant_id, created_at);
select tenant_table('idempotency_keys');
