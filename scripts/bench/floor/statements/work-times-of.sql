-- The work times of the assignments with the given ids.
select
  r.id as "id",
  r.event_function_employee_id as "event_function_employee_id",
  r.employee_id as "employee_id",
  r.event_id as "event_id",
  r.start as "start",
  r."end" as "end",
  r.break_start as "break_start",
  r.break_end as "break_end",
  r.minutes as "minutes",
  r.break_minutes as "break_minutes",
  r.source as "source",
  r.is_approved as "is_approved",
  r.approved_on as "approved_on",
  r.created_at as "created_at",
  r.updated_at as "updated_at"
from "work_times_view" as r
where r.tenant_id = $1 and (r."event_function_employee_id" = any($2::bigint[]))
order by r."event_function_employee_id", r.id
