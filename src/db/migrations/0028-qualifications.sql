-- Qualifications are chosen from a predefined collection from here on: the one that a tenant has under that identifier, otherwise a new one
-- without values. Qualifications from other collections stay where they are stored.
do $$
declare
  tenant record;
  collection bigint;
begin
  for tenant in select id, slug from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);

    if exists (select from collections where tenant_id = tenant.id and identifier = 'qualifications') then
      update collections set editable = true, deleted = false
      where tenant_id = tenant.id and identifier = 'qualifications' and (deleted or not editable)
      returning id into collection;
      continue when collection is null;
      raise warning 'Tenant %: the collection % is that of qualifications and can be used again.', tenant.slug, collection;
      insert into journal (tenant_id, resource, id, change, fields, by_type)
      values (tenant.id, 'collections', collection, 'updated', '{editable,deleted}', 'system');
    else
      insert into id_blocks (tenant_id, "table", next) values (tenant.id, 'collections', 2)
      on conflict (tenant_id, "table") do update set next = id_blocks.next + 1
      returning next - 1 into collection;
      insert into collections (tenant_id, id, identifier, name) values (tenant.id, collection, 'qualifications', 'Qualifications');
      insert into journal (tenant_id, resource, id, change, fields, by_type)
      values (tenant.id, 'collections', collection, 'created', '{id,identifier,name}', 'system');
    end if;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
