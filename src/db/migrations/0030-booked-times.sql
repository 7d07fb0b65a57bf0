-- For finding who has other work around the time of an event function: of 77,000 booked assignments, those that end after it begins, without
-- reading the table. Candidates of 4,200 employees took 42 ms of Postgres, of which reading all booked assignments took 20 and joining their
-- events 10; now 9 to 13. A status change takes 2.7 µs more, of 70 that its update takes.
create index assignments_booked_idx on assignments (tenant_id, effective_end, effective_start) include (employee_id, event_function_id)
  where status in (6, 7);
comment on index assignments_booked_idx is 'assignment_booked(status)';
