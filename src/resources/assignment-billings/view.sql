create view assignment_billings_view with (security_invoker = true) as
select b.*, coalesce(e.client_id, p.client_id) as client_id, e.project_id
from assignment_billings b
left join assignments a on a.tenant_id = b.tenant_id and a.id = b.assignment_id
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id
left join events e on e.tenant_id = f.tenant_id and e.id = f.event_id
left join projects p on p.tenant_id = e.tenant_id and p.id = e.project_id;
grant select on assignment_billings_view to staffing_tenant;
