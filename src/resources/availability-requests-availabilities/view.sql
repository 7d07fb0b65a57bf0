create view availability_requests_availabilities_view with (security_invoker = true) as
select v.*, r.employee_id
from availability_requests_availabilities v
left join availability_requests r on r.tenant_id = v.tenant_id and r.id = v.availability_request_id;
grant select on availability_requests_availabilities_view to staffing_tenant;
