create function wage_type(wage_types jsonb, id bigint) returns jsonb language sql stable parallel safe
return jsonb_path_query_first(wage_types, '$[*] ? (@.id == $id)', jsonb_build_object('id', id));

-- The amount; null: it is more than can be paid.
create function payable(amount numeric) returns numeric language sql immutable parallel safe
return case when abs(amount) <= 9999999999 then amount end;

-- The amount that a proposal asks for. Without a value of the wage type, it is the proposal's value. What was in range when it was proposed
-- need not be with the present value of the wage type.
create function proposed_amount(currency text, value numeric, wage_type jsonb) returns numeric language sql immutable parallel safe
return payable(case
  when (wage_type ->> 'value') is null then amount_of(currency, value, 1, 1)
  else amount_of(
    currency, value, (wage_type ->> 'value')::numeric, coalesce(round((wage_type ->> 'factor')::numeric, 12), 1)
  )
end);

-- The wage type is one of the wage profile that applies to the assignment, until the proposal is accepted.
create view wage_proposals_view with (security_invoker = true) as
select p.*,
  coalesce(p.accepted_currency, y.currency) as currency,
  (case when p.accepted_currency is null then wage_type(y.wage_types, p.wage_type_id) ->> 'name' else p.accepted_name end)
    collate "und-x-icu" as "wage_type.name",
  (case
    when p.accepted_currency is not null then p.accepted_amount
    when wage_type(y.wage_types, p.wage_type_id) is not null
      then proposed_amount(y.currency, p.value, wage_type(y.wage_types, p.wage_type_id))
  end)::numeric(14, 4) as amount,
  (case when p.accepted_currency is null then wage_type(y.wage_types, p.wage_type_id) ->> 'unit' else p.accepted_unit end)
    collate "und-x-icu" as unit
from wage_proposals p
left join assignments a on a.tenant_id = p.tenant_id and a.id = p.assignment_id
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id
left join wage_profiles d on d.tenant_id = p.tenant_id and d.default_place = 1
left join wage_profiles y on y.tenant_id = p.tenant_id
  and y.id = coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, w.wage_profile_id, d.id);
grant select on wage_proposals_view to staffing_tenant;
