-- External ids of projects and wage profiles are unique from here on. Those that are not are kept on the oldest record, removed from the
-- others, which are named in a warning, and entered in the journal.
do $$
declare
  tenant record;
  resource record;
  changed record;
begin
  for tenant in select id, slug from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    for resource in select * from (values ('projects', 'projects'), ('wage_profiles', 'wage-profiles')) r ("table", name) loop
      for changed in execute format($query$
        update %1$I t set external_id = null, updated_at = date_trunc('second', now())
        from (
          select id, external_id, first_value(id) over (partition by external_id order by created_at, id) as oldest
          from %1$I where tenant_id = $1 and external_id is not null
        ) d
        where t.tenant_id = $1 and t.id = d.id and d.id <> d.oldest
        returning t.id, d.external_id, d.oldest
      $query$, resource."table") using tenant.id loop
        raise warning 'Tenant %: the external id "%" of the record % of % has been removed, because record % has it as well.',
          tenant.slug, changed.external_id, changed.id, resource.name, changed.oldest;
        insert into journal (tenant_id, resource, id, change, fields, by_type)
        values (tenant.id, resource.name, changed.id, 'updated', '{external_id,updated_at}', 'system');
      end loop;
    end loop;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

alter table projects add unique (tenant_id, external_id);
select tenant_table('projects');
alter table wage_profiles add unique (tenant_id, external_id);
select tenant_table('wage_profiles');
