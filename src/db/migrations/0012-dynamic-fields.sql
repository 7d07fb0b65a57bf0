-- The fields that tenants make. Each has a slot, a column of the table beside the one of its records, which has one row for each of
-- them. Deleted fields stay in the register, so that their names are known to be gone.
create table dynamic_versions (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  version uuid not null
);
select tenant_table('dynamic_versions');

create table dynamic_fields (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  entity text not null,
  -- The column that holds the values; `more`: a member of that column.
  slot text not null,
  deleted_at timestamptz(0),
  -- Since when no record has a value of it any more.
  emptied_at timestamptz(0)
);
create index on dynamic_fields (tenant_id, entity, slot);
select tenant_table('dynamic_fields');

-- The slots are those that src/db/slots.ts tells.
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
create function dynamic_clients_row() returns trigger language plpgsql as $$
  begin
    insert into dynamic_clients (tenant_id, id) values (new.tenant_id, new.id);
    return null;
  end $$;

create trigger dynamic_row after insert on clients for each row execute function dynamic_clients_row();

create function dynamic_contacts_row() returns trigger language plpgsql as $$
  begin
    insert into dynamic_contacts (tenant_id, id) values (new.tenant_id, new.id);
    return null;
  end $$;

create trigger dynamic_row after insert on contacts for each row execute function dynamic_contacts_row();

create function dynamic_employees_row() returns trigger language plpgsql as $$
  begin
    insert into dynamic_employees (tenant_id, id) values (new.tenant_id, new.id);
    return null;
  end $$;

create trigger dynamic_row after insert on employees for each row execute function dynamic_employees_row();

create function dynamic_renew() returns trigger language plpgsql as $$
  declare
    tenant bigint := coalesce(new.tenant_id, old.tenant_id);
  begin
    if coalesce(current_setting('app.dynamic_renewed', true), '') = tenant::text then return null; end if;
    insert into dynamic_versions (tenant_id, id, version) values (tenant, 1, gen_random_uuid())
      on conflict (tenant_id, id) do update set version = excluded.version;
    perform set_config('app.dynamic_renewed', tenant::text, true);
    return null;
  end $$;

create function dynamic_register() returns trigger language plpgsql as $$
  declare
    form text;
    kind text;
    place text := 'more';
    used boolean;
  begin
    if tg_op = 'DELETE' then
      update dynamic_fields d set deleted_at = date_trunc('second', now())
        where d.tenant_id = old.tenant_id and d.id = old.id;
      return null;
    end if;
    select f.entity into form from forms f where f.tenant_id = new.tenant_id and f.id = new.entity_id;
    if not new.deletable or form not in ('clients', 'contacts', 'employees') then return null; end if;
    kind := case new.type when 'text' then 'text' when 'email' then 'text' when 'phone' then 'text' when 'number' then 'number' when 'boolean' then 'flag' when 'date' then 'date' when 'select' then 'key' when 'level_select' then 'key' when 'file' then 'key' end;
    for number in 1 .. case kind when 'text' then 40 when 'number' then 12 when 'flag' then 12 when 'date' then 12 when 'key' then 24 else 0 end loop
      if exists (
        select from dynamic_fields d
        where d.tenant_id = new.tenant_id and d.entity = form and d.slot = kind || '_' || number
          and (d.deleted_at is null or d.deleted_at > now() - interval '1 hour')
      ) then continue; end if;
      execute format('select exists (select from %I where tenant_id = $1 and %I is not null)',
        'dynamic_' || form, kind || '_' || number) into used using new.tenant_id;
      if not used then
        place := kind || '_' || number;
        exit;
      end if;
    end loop;
    insert into dynamic_fields (tenant_id, id, entity, slot) values (new.tenant_id, new.id, form, place);
    return null;
  end $$;


create trigger dynamic_renew after insert or update or delete on attributes
        for each row execute function dynamic_renew();

create trigger dynamic_renew after insert or update or delete on collections
        for each row execute function dynamic_renew();

create trigger dynamic_renew after insert or update or delete on collection_values
        for each row execute function dynamic_renew();

create trigger dynamic_slot after insert or delete on attributes
      for each row execute function dynamic_register();
grant execute on function dynamic_renew, dynamic_register to staffing_tenant;
