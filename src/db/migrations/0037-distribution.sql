-- tenant_now as in 0001-tenancy.sql, without COALESCE, in which Citus plans no stable function of an update.
create or replace function tenant_now() returns timestamptz language sql stable parallel safe as $$
  select now() + concat('0', current_setting('app.clock_ahead', true))::interval
$$;

-- tenant_table as in 0001-tenancy.sql, which in a distributed database also distributes the table (src/db/schema/distribution). Tables that it
-- refers to have to be distributed before it; a table that refers to others gets its foreign keys after the call.
create or replace function tenant_table(name regclass, grants text default 'select, insert, update, delete') returns void
language plpgsql as $$
declare
  texts text;
  key record;
  known boolean;
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

  if to_regclass('pg_catalog.pg_dist_partition') is null then return; end if;
  execute 'select bool_or(logicalrelid = $1) from pg_dist_partition where partmethod = ''h''' into known using name;
  if known = false then
    perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
    execute 'select create_distributed_table($1, ''tenant_id'', colocate_with => ''journal'')' using name;
  end if;
end $$;

-- Foreign keys that a distribution has set aside, until both of their tables are distributed.
create table references_set_aside (
  "table" text, name text, primary key ("table", name),
  definition text not null
);
