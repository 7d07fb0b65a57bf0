create view livestamps_view with (security_invoker = true) as
select t.*, a.employee_id
from livestamps t
left join assignments a on a.tenant_id = t.tenant_id and a.id = t.assignment_id;
grant select on livestamps_view to staffing_tenant;
