-- Whether an assignment with that status takes a place; whether it books its employee.
create function assignment_holding(status integer) returns boolean language sql immutable parallel safe
return status in (5, 6, 7);

create function assignment_booked(status integer) returns boolean language sql immutable parallel safe
return status in (6, 7);
