create view paysheets_view with (security_invoker = true) as
select t.tenant_id, t.id, t.assignment_id, t.pay_run_id, t.wage_profile_id, t.currency, t.period_start, t.period_end, t.status, t.lines,
  t.total, t.paid_on, t.created_at, t.updated_at, a.employee_id
from paysheets t
left join assignments a on a.tenant_id = t.tenant_id and a.id = t.assignment_id;
grant select on paysheets_view to staffing_tenant;
