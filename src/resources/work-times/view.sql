create view work_times_view with (security_invoker = true) as
select w.*, a.employee_id, f.event_id
from work_times w
left join assignments a on a.tenant_id = w.tenant_id and a.id = w.event_function_employee_id
left join event_functions f on f.tenant_id = w.tenant_id and f.id = w.event_function_id;
grant select on work_times_view to staffing_tenant;
