create view paysheets_view with (security_invoker = true) as
select t.*, a.employee_id
from paysheets t
left join assignments a on a.tenant_id = t.tenant_id and a.id = t.assignment_id;
grant select on paysheets_view to staffing_tenant;
