-- Deletes all records of the transaction's tenant, with their journal and everything else that the tenants' role may add to; API users,
-- tokens and keys stay. A table whose rows are still referred to has another turn.
create function clear_tenant() returns void language plpgsql as $$
declare
  tenant bigint := current_setting('app.tenant_id')::bigint;
  own regclass;
  referred boolean;
begin
  for turn in 1..20 loop
    referred := false;
    for own in
      select oid from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relrowsecurity
        and has_table_privilege('staffing_tenant', oid, 'insert') and relname <> 'journal_heads'
      order by oid desc
    loop
      begin
        execute format('delete from %s where tenant_id = %s', own, tenant);
      exception when foreign_key_violation then referred := true;
      end;
    end loop;
    exit when not referred;
  end loop;
  if referred then raise 'The records of tenant % still refer to each other.', tenant; end if;
  delete from jobs.job where name = 'deliveries' and group_id = tenant::text;
end $$;
