-- The entry in the history of an assignment.
insert into assignment_history (assignment_id, employee_id, action, from_status, to_status, data, overridden, api_user_id, automation_id, id, tenant_id)
select $2, a.employee_id, 'status', $3::integer, $4::integer, null, '[]', $5::bigint, null, $6::bigint, $1
from assignments a where a.tenant_id = $1 and a.id = $2
