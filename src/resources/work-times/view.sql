create function minutes_between(start timestamptz, "end" timestamptz) returns integer language sql immutable parallel safe
return (extract(epoch from "end" - start) / 60)::integer;

create view work_times_view with (security_invoker = true) as
select w.*, a.employee_id, f.event_id,
  minutes_between(w.start, w."end") - coalesce(minutes_between(w.break_start, w.break_end), 0) as minutes,
  coalesce(minutes_between(w.break_start, w.break_end), 0) as break_minutes
from work_times w
left join assignments a on a.tenant_id = w.tenant_id and a.id = w.event_function_employee_id
left join event_functions f on f.tenant_id = a.tenant_id and f.id = a.event_function_id;
grant select on work_times_view to staffing_tenant;
