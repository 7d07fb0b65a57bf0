-- Identifiers of forms and of the values of a collection are unique from here on, and at most one language is the default. Of those with one
-- identifier, the first keeps it and the others get the next free number; of several default languages, the first one stays. All others are
-- entered in the journal.
do $$
declare
  tenant record;
  duplicate record;
  free text;
begin
  for tenant in select id, slug from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);

    for duplicate in
      select v.id, v.collection_id, v.identifier from collection_values v
      where v.tenant_id = tenant.id and not v.deleted and exists (
        select from collection_values o
        where o.tenant_id = v.tenant_id and o.collection_id = v.collection_id and o.identifier = v.identifier and not o.deleted and o.id < v.id
      )
      order by v.id
    loop
      select duplicate.identifier || '-' || n into free from generate_series(2, 1000000) n
      where not exists (
        select from collection_values o
        where o.tenant_id = tenant.id and o.collection_id = duplicate.collection_id and o.identifier = duplicate.identifier || '-' || n
      )
      order by n limit 1;
      update collection_values set identifier = free, updated_at = date_trunc('second', now())
      where tenant_id = tenant.id and id = duplicate.id;
      raise warning 'Tenant %: the value % of the collection % has the identifier "%" instead of "%", which another value has.',
        tenant.slug, duplicate.id, duplicate.collection_id, free, duplicate.identifier;
      insert into journal (tenant_id, resource, id, change, fields, by_type)
      values (tenant.id, 'collection-values', duplicate.id, 'updated', '{identifier,updated_at}', 'system');
    end loop;

    for duplicate in
      select f.id, f.identifier from forms f
      where f.tenant_id = tenant.id and exists (
        select from forms o where o.tenant_id = f.tenant_id and o.identifier = f.identifier and o.id < f.id
      )
      order by f.id
    loop
      select duplicate.identifier || '-' || n into free from generate_series(2, 1000000) n
      where not exists (select from forms o where o.tenant_id = tenant.id and o.identifier = duplicate.identifier || '-' || n)
      order by n limit 1;
      update forms set identifier = free, updated_at = date_trunc('second', now()) where tenant_id = tenant.id and id = duplicate.id;
      raise warning 'Tenant %: the form % has the identifier "%" instead of "%", which another form has.',
        tenant.slug, duplicate.id, free, duplicate.identifier;
      insert into journal (tenant_id, resource, id, change, fields, by_type)
      values (tenant.id, 'forms', duplicate.id, 'updated', '{identifier,updated_at}', 'system');
    end loop;

    for duplicate in
      update languages l set is_default = false
      where l.tenant_id = tenant.id and l.is_default and exists (
        select from languages o where o.tenant_id = l.tenant_id and o.is_default and o.id < l.id
      )
      returning l.id, l.name
    loop
      raise warning 'Tenant %: the language % (%) is no longer the default, because another one is.', tenant.slug, duplicate.id, duplicate.name;
      insert into journal (tenant_id, resource, id, change, fields, by_type)
      values (tenant.id, 'languages', duplicate.id, 'updated', '{is_default}', 'system');
    end loop;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

create unique index collection_values__identifier__key on collection_values (tenant_id, collection_id, identifier) where not deleted;
create unique index forms__identifier__key on forms (tenant_id, identifier);
create unique index languages__is_default__key on languages (tenant_id) where is_default;

-- When a wage proposal was signed: signed work that is sent again adds nothing.
alter table wage_proposals add signed_at timestamptz(0);
