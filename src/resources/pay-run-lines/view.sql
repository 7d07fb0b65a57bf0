-- What an approved assignment is paid cannot change, so that the wages are read instead of copied. Its client and project can, by its
-- event: the paysheet has copies.
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
  s.project_id,
  p.external_id as project_external_id,
  s.client_id,
  c.external_id as client_external_id
from paysheets s
join assignment_wages w on w.tenant_id = s.tenant_id and w.assignment_id = s.assignment_id and not w.is_disabled
left join employees h on h.tenant_id = s.tenant_id and h.id = s.paid_employee_id
left join projects p on p.tenant_id = s.tenant_id and p.id = s.project_id
left join clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
where s.pay_run_id is not null;
grant select on pay_run_lines_view to staffing_tenant;
