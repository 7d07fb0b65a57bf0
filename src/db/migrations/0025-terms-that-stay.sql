-- What was agreed stays: accepted proposals keep their terms, billings and pay runs the client and the project of their time.
alter table wage_proposals
  add column accepted_currency text check (accepted_currency ~ '^[A-Z]{3}$'),
  add column accepted_name text,
  add column accepted_unit text,
  add column accepted_amount numeric(14, 4);

alter table assignment_billings add column client_id bigint, add column project_id bigint;
alter table paysheets add column client_id bigint, add column project_id bigint;

do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);

    -- What they show now; no amount if the present value of the wage type makes it more than can be paid.
    update wage_proposals p set accepted_currency = c.currency, accepted_name = c.wage_type ->> 'name', accepted_unit = c.wage_type ->> 'unit',
      accepted_amount = case when abs(c.rate * p.value) <= 9999999999 then round(c.rate * p.value, 2) end
    from (
      select a.id as assignment_id, y.currency, wage_type, coalesce(
          round((wage_type ->> 'value')::numeric * coalesce((wage_type ->> 'factor')::numeric, 1), 4), 1
        ) as rate
      from assignments a
      join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
      join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
      join employees e on e.tenant_id = a.tenant_id and e.id = a.employee_id
      left join wage_profiles d on d.tenant_id = a.tenant_id and d.default_place = 1
      join wage_profiles y on y.tenant_id = a.tenant_id
        and y.id = coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, e.wage_profile_id, d.id)
      cross join jsonb_array_elements(y.wage_types) wage_type
      where a.tenant_id = tenant.id
    ) c
    where p.tenant_id = tenant.id and p.status = 2 and c.assignment_id = p.assignment_id
      and (c.wage_type ->> 'id')::bigint = p.wage_type_id;

    update assignment_billings b set client_id = coalesce(e.client_id, p.client_id), project_id = e.project_id
    from assignments a
    join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
    join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
    join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
    where b.tenant_id = tenant.id and a.tenant_id = b.tenant_id and a.id = b.assignment_id;

    update paysheets s set client_id = coalesce(e.client_id, p.client_id), project_id = e.project_id
    from event_functions f
    join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
    join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id
    where s.tenant_id = tenant.id and s.pay_run_id is not null and f.tenant_id = s.tenant_id and f.id = s.event_function_id;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

alter table assignment_billings alter project_id set not null;
create index on assignment_billings (tenant_id, client_id);
create index on assignment_billings (tenant_id, project_id);
alter table paysheets drop column event_function_id;
create index on paysheets (tenant_id, project_id);
select tenant_table('wage_proposals');
