create view work_time_proposals_view with (security_invoker = true) as
select t.*, a.employee_id
from work_time_proposals t
left join assignments a on a.tenant_id = t.tenant_id and a.id = t.assignment_id;
grant select on work_time_proposals_view to staffing_tenant;
