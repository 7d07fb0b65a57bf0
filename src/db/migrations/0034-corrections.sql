-- Corrections of paid work: its differences are paid by paysheets of their own, beside the one that they correct.
alter table assignments
  add column correction jsonb,
  add column correction_count integer not null default 0;

alter table pay_runs add column include jsonb not null default '["regular"]';
alter table pay_runs alter include set default '["regular", "corrections"]';

alter table paysheets
  add column kind text not null default 'regular' check (kind in ('regular', 'late', 'correction')),
  add column corrects_paysheet_id bigint,
  add column number integer,
  add foreign key (tenant_id, corrects_paysheet_id) references paysheets,
  drop constraint paysheets__assignment_id__key;
create unique index paysheets__assignment_id__key on paysheets (tenant_id, assignment_id) where kind <> 'correction';
create index on paysheets (tenant_id, id) where kind = 'correction' and pay_run_id is null;

alter table assignment_billings
  add column corrects_billing_id bigint,
  add foreign key (tenant_id, corrects_billing_id) references assignment_billings;

-- The lines of pay runs have been the wages, which an approval fixes, until now; from here on they are those of the
-- paysheets, whose rates had included the factors.
do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    with changed as (
      update paysheets s set lines = w.lines
      from (
        select assignment_id, jsonb_agg(jsonb_build_object(
          'wage_type_id', coalesce("wage_type.id", wage_type_id),
          'name', coalesce(nullif("wage_type.name", ''), 'Wage ' || id),
          'quantity', trim_scale(line_quantity),
          'unit', "wage_type_value.unit",
          'rate', trim_scale(line_rate),
          'factor', trim_scale(line_factor),
          'amount', coalesce(payable_amount, 0),
          'currency', currency,
          'wage_profile_id', wage_profile_id,
          'wage_type_external_id', "wage_type.external_id"
        ) order by id) as lines
        from assignment_wages
        where tenant_id = tenant.id and not is_disabled
        group by assignment_id
      ) w
      where s.tenant_id = tenant.id and s.pay_run_id is not null and w.assignment_id = s.assignment_id
      returning s.id
    )
    insert into journal (tenant_id, resource, id, change, fields, by_type)
    select tenant.id, 'paysheets', id, 'updated', '{lines}', 'system' from changed;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
select tenant_table('paysheets');
select tenant_table('assignment_billings');
