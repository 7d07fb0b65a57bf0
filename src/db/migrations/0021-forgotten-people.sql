-- Records of people tell that the person has been forgotten. Of those who already are, only their name and status told it.
alter table contacts add forgotten_at timestamptz(0);
alter table employees add forgotten_at timestamptz(0);

do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    with forgotten as (
      update contacts set forgotten_at = updated_at
      where tenant_id = tenant.id and (firstname, lastname, status) = ('Anonymised', 'Anonymised', 2) returning id, external_id
    )
    insert into journal (tenant_id, resource, id, external_id, change, fields, by_type)
    select tenant.id, 'contacts', id, external_id, 'updated', '{forgotten_at}', 'system' from forgotten;
    with forgotten as (
      update employees set forgotten_at = updated_at
      where tenant_id = tenant.id and (firstname, lastname, status) = ('Anonymised', 'Anonymised', 6) returning id, external_id
    )
    insert into journal (tenant_id, resource, id, external_id, change, fields, by_type)
    select tenant.id, 'employees', id, external_id, 'updated', '{forgotten_at}', 'system' from forgotten;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
