-- Returns the employee of a history entry: the given one, or else that of the assignment. A function, since Citus plans no subquery in the
-- rows of an insert.
create function history_employee(tenant bigint, given bigint, assignment bigint) returns bigint language plpgsql stable as $$
begin
  if given is not null then return given; end if;
  return (select a.employee_id from assignments a where a.tenant_id = tenant and a.id = assignment);
end $$;
