-- The entry in the history of an assignment.
insert into assignment_history (assignment_id, action, from_status, to_status, data, overridden, api_user_id, automation_id, id, tenant_id)
values ($2, 'status', $3, $4, null, '[]', $5, null, $6, $1)
