-- The lines that the paysheets of pay runs have: they do not change. What their people, projects and clients are called does.
create view pay_run_lines_view with (security_invoker = true) as
select s.tenant_id,
  -- No paysheet has as many lines as would reach the next one's.
  s.id * 100000 + l.place as id,
  s.pay_run_id, s.id as paysheet_id, s.assignment_id,
  s.paid_employee_id as employee_id,
  h.external_id as employee_external_id,
  h.firstname,
  h.lastname,
  (l.line ->> 'wage_type_id')::bigint as wage_type_id,
  (l.line ->> 'wage_type_external_id') collate "und-x-icu" as wage_type_external_id,
  (l.line ->> 'name') collate "und-x-icu" as wage_type_name,
  s.worked_on as date,
  (l.line ->> 'quantity')::numeric(14, 6) as quantity,
  (l.line ->> 'unit') collate "und-x-icu" as unit,
  (l.line ->> 'rate')::numeric(26, 16) as rate,
  (l.line ->> 'factor')::numeric(22, 12) as factor,
  (l.line ->> 'amount')::numeric(14, 4) as amount,
  s.currency,
  s.kind,
  r.period_start as corrects_period_start,
  r.period_end as corrects_period_end,
  s.corrects_paysheet_id,
  s.project_id,
  p.external_id as project_external_id,
  s.client_id,
  c.external_id as client_external_id
from paysheets s
cross join lateral jsonb_array_elements(s.lines) with ordinality l(line, place)
left join paysheets r on r.tenant_id = s.tenant_id and r.id = s.corrects_paysheet_id
left join employees h on h.tenant_id = s.tenant_id and h.id = s.paid_employee_id
left join projects p on p.tenant_id = s.tenant_id and p.id = s.project_id
left join clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
where s.pay_run_id is not null;
grant select on pay_run_lines_view to staffing_tenant;
