-- Event functions with a start of their own, by it: those that are about to start with open places are looked for each minute.
create index on event_functions (tenant_id, start) where start is not null;
