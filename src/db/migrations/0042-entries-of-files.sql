-- Entries of private files name whose these are from here on, and of what an export has made, which export: readers to whom such a file
-- does not exist are not told of it. Those of files that have been removed since stay as they are, without names or content.
do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    update journal j set fields = j.fields || (':user_id=' || f.user_id)
    from files f
    where j.tenant_id = tenant.id and f.tenant_id = tenant.id
      and j.resource = 'files' and j.id = f.id and f.visibility = 'private';
    update journal j set fields = j.fields || ':payroll_exports.file_id'::text
    from payroll_exports e
    where j.tenant_id = tenant.id and e.tenant_id = tenant.id and j.resource = 'files' and j.id = e.file_id;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
