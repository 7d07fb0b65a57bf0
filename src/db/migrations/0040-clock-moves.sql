-- What the clock of a sandbox is being moved to is stored with the tenant's data: a request that moves it writes one node.
create table clock_moves (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  due timestamptz(0) not null
);
select tenant_table('clock_moves');

do $$
declare
  tenant record;
begin
  for tenant in select id, clock_due from tenants where clock_due is not null order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    insert into clock_moves values (tenant.id, 1, tenant.clock_due);
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

alter table tenants drop constraint tenants_clock_check;
alter table tenants drop column clock_due, add constraint tenants_clock_check check (sandbox or clock_ahead = 0);
