create function wage_type(wage_types jsonb, id bigint) returns jsonb language sql stable parallel safe
return jsonb_path_query_first(wage_types, '$[*] ? (@.id == $id)', jsonb_build_object('id', id));

-- The wage type is one of the wage profile that applies to the assignment.
create view wage_proposals_view with (security_invoker = true) as
select p.*,
  (wage_type(y.wage_types, p.wage_type_id) ->> 'name') collate "und-x-icu" as "wage_type.name",
  -- Without a value of the wage type, what is asked for is the amount itself.
  (case
    when (wage_type(y.wage_types, p.wage_type_id) ->> 'value') is not null then amount_of(
      y.currency, p.value, (wage_type(y.wage_types, p.wage_type_id) ->> 'value')::numeric,
      coalesce(round((wage_type(y.wage_types, p.wage_type_id) ->> 'factor')::numeric, 12), 1)
    )
    when wage_type(y.wage_types, p.wage_type_id) is not null then amount_of(y.currency, p.value, 1, 1)
  end)::numeric(14, 4) as amount,
  (wage_type(y.wage_types, p.wage_type_id) ->> 'unit') collate "und-x-icu" as unit
from wage_proposals p
left join assignments a on a.tenant_id = p.tenant_id and a.id = p.assignment_id
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
left join functions t on t.tenant_id = f.tenant_id and t.id = f.function_id
left join employees w on w.tenant_id = a.tenant_id and w.id = a.employee_id
left join wage_profiles d on d.tenant_id = p.tenant_id and d.default_place = 1
left join wage_profiles y on y.tenant_id = p.tenant_id
  and y.id = coalesce(a.approved_wage_profile_id, a.wage_profile_id, f.wage_profile_id, t.wage_profile_id, w.wage_profile_id, d.id);
grant select on wage_proposals_view to staffing_tenant;
