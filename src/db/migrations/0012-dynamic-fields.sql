-- Dynamic fields of tenants. Each field has a slot: a column of the table `dynamic_<table>`, which has one row for each record.
-- Deleted fields stay registered, so that their names can be reported as deleted.
create table dynamic_versions (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  version uuid not null
);
select tenant_table('dynamic_versions');

create table dynamic_fields (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  entity text not null,
  -- The column that holds the values; `more`: the values are members of the JSON column of that name.
  slot text not null,
  deleted_at timestamptz(0),
  -- The time since which no record has a value.
  emptied_at timestamptz(0)
);
create index on dynamic_fields (tenant_id, entity, slot);
select tenant_table('dynamic_fields');

-- The slots must match src/db/slots.ts.
do $$
declare
  entity text;
  slots text;
  slot text;
begin
  select string_agg(format('%s_%s %s', kind, number, type), ', ' order by place, number) into slots
  from (values (1, 'text', 'text', 40), (2, 'number', 'double precision', 12), (3, 'flag', 'boolean', 12), (4, 'date', 'date', 12),
    (5, 'key', 'bigint', 24)) k(place, kind, type, count)
  cross join generate_series(1, count) number;
  foreach entity in array array['clients', 'contacts', 'employees'] loop
    execute format('create table dynamic_%s (
      tenant_id bigint, id bigint, primary key (tenant_id, id), %s, more jsonb,
      foreign key (tenant_id, id) references %1$s on delete cascade)', entity, slots);
    perform tenant_table(format('dynamic_%s', entity)::regclass);
    for slot in select attname from pg_attribute
      where attrelid = format('dynamic_%s', entity)::regclass and attname ~ '_\d+$' order by attnum
    loop
      execute format('create index on dynamic_%s (tenant_id, %s)', entity, slot);
    end loop;
  end loop;
end $$;
