-- Fifteen fields of a page of assignments after an id.
select
  r.id as "id",
  r.status as "status",
  r.employee_id as "employee_id",
  r.event_function_id as "event_function_id",
  r.event_id as "event_id",
  r.start as "start",
  r."end" as "end",
  r."event.name" as "event.name",
  r."event.project.name" as "event.project.name",
  r."event_function.function" as "event_function.function",
  r."event.location.name" as "event.location.name",
  r.remarks as "remarks",
  r.is_approved as "is_approved",
  r.created_at as "created_at",
  r.updated_at as "updated_at"
from "assignments_view" as r
where r.tenant_id = $1 and r.id > $2::bigint
order by r.id asc
limit 51
