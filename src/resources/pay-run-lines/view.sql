-- What an approved assignment is paid cannot change, so that the wages are read instead of copied.
create view pay_run_lines_view with (security_invoker = true) as
select w.tenant_id, w.id, s.pay_run_id, s.id as paysheet_id, s.assignment_id,
  s.paid_employee_id as employee_id,
  h.external_id as employee_external_id,
  h.firstname,
  h.lastname,
  w."wage_type.id" as wage_type_id,
  w."wage_type.external_id" as wage_type_external_id,
  w."wage_type.name" as wage_type_name,
  s.worked_on as date,
  w.line_quantity as quantity,
  w."wage_type_value.unit" as unit,
  w.line_rate as rate,
  w.line_factor as factor,
  coalesce(w.payable_amount, 0)::numeric(14, 4) as amount,
  s.currency,
  e.project_id,
  p.external_id as project_external_id,
  coalesce(e.client_id, p.client_id) as client_id,
  c.external_id as client_external_id
from paysheets s
join assignment_wages w on w.tenant_id = s.tenant_id and w.assignment_id = s.assignment_id and not w.is_disabled
left join employees h on h.tenant_id = s.tenant_id and h.id = s.paid_employee_id
left join event_functions f on f.tenant_id = s.tenant_id and f.id = s.event_function_id
left join events e on e.tenant_id = s.tenant_id and e.id = f.event_id
left join projects p on p.tenant_id = s.tenant_id and p.id = e.project_id
left join clients c on c.tenant_id = s.tenant_id
  and c.id = case when e.client_id is null then p.client_id else e.client_id end
where s.pay_run_id is not null;
grant select on pay_run_lines_view to staffing_tenant;
