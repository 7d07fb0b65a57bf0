-- Amounts have the minor unit of their currency, which can have up to four decimal places.
alter table assignments alter pay_amount type numeric(14, 4);

-- Wages have a currency of their own, and values that are not rounded. A line shows what its amount is the product of.
alter table assignment_wages
  drop column line_rate, drop column line_factor,
  alter base_value type numeric(26, 16),
  alter derived_base_value type numeric(26, 16),
  alter "wage_type.factor" type numeric(22, 12),
  add column currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  add column is_amount_given boolean not null default false;

do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);

    -- What is stored keeps the label that it shows.
    update assignment_wages w set currency = coalesce(
      substring(w."wage_type.currency_format" from '^[A-Z]{3}$'),
      (select p.currency from wage_profiles p where p.tenant_id = w.tenant_id and p.id = w.wage_profile_id),
      (
        select y.currency from assignments a
        join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
        join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
        join employees e on e.tenant_id = a.tenant_id and e.id = a.employee_id
        left join wage_profiles d on d.tenant_id = a.tenant_id and d.default_place = 1
        join wage_profiles y on y.tenant_id = a.tenant_id
          and y.id = coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, e.wage_profile_id, d.id)
        where a.tenant_id = w.tenant_id and a.id = w.assignment_id
      ),
      'EUR'
    )
    where w.tenant_id = tenant.id;

    -- An amount that was given stays so although there is a base value, too.
    update assignment_wages set is_amount_given = true
    where tenant_id = tenant.id and "wage_type.id" is null and wage_type_id is null
      and payable_amount <> round(base_value * factor, 2);

    -- Wages of accepted proposals are known by their base value from here on, as derived ones are.
    update assignment_wages w set derived_base_value = base_value
    from assignments a
    where w.tenant_id = tenant.id and a.tenant_id = w.tenant_id and a.id = w.assignment_id
      and w.wage_type_id is null and w."wage_type.id" is not null
      and w.base_value = case when a.is_approved then round(w."wage_type_value.value" * w."wage_type.factor", 4)
        else w."wage_type_value.value" * w."wage_type.factor" end;

    -- An edited wage is compared with what its derivation yields from here on.
    update assignment_wages w set derived_base_value = w."wage_type_value.value" * w."wage_type.factor"
    from assignments a
    where w.tenant_id = tenant.id and a.tenant_id = w.tenant_id and a.id = w.assignment_id and not a.is_approved
      and w.wage_type_id is not null and (w.base_value, w.factor) is distinct from (w.derived_base_value, w.derived_factor)
      and w.derived_base_value = round(w."wage_type_value.value" * w."wage_type.factor", 4);

    update paysheets s
    set lines = (
      select jsonb_agg(l.line || jsonb_build_object('currency', s.currency) order by l.place)
      from jsonb_array_elements(s.lines) with ordinality l(line, place)
    )
    where s.tenant_id = tenant.id and s.lines <> '[]';

    -- Approved wages were paid rounded to the cent.
    with changed as (
      update assignment_wages w set payable_amount = round(w.payable_amount, 2)
      from assignments a
      where w.tenant_id = tenant.id and a.tenant_id = w.tenant_id and a.id = w.assignment_id and a.is_approved
        and w.payable_amount <> round(w.payable_amount, 2)
      returning w.id
    )
    insert into journal (tenant_id, resource, id, change, fields, by_type)
    select tenant.id, 'assignment-wages', id, 'updated', '{payable_amount}', 'system' from changed;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;

alter table assignment_wages
  add column line_quantity numeric(14, 6) not null generated always as (
    case when base_value is null or is_amount_given then 1 else factor end
  ) stored,
  add column line_rate numeric(26, 16) not null generated always as (
    case when base_value is null or is_amount_given then coalesce(payable_amount, 0)
      when "wage_type_value.value" is not null
        and (base_value = "wage_type_value.value" * "wage_type.factor" or base_value = derived_base_value) then "wage_type_value.value"
      else base_value end
  ) stored,
  add column line_factor numeric(22, 12) not null generated always as (
    case when not is_amount_given and "wage_type_value.value" is not null
        and (base_value = "wage_type_value.value" * "wage_type.factor" or base_value = derived_base_value) then "wage_type.factor"
      else 1 end
  ) stored;
select tenant_table('assignment_wages');
