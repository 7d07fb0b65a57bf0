-- For finding what has changed since a time, in that order: `updated_at=>…&sort=updated_at` read and sorted all records of the tenant, 40 ms of
-- 200,000 assignments; now 1 ms. What it costs a write, of 17 to 64 µs of Postgres: a status change 1.4 µs, a new assignment 2.7, a new client
-- 1.3 (as a row of an import), and an update of a client 7.8, which touched no index before. Each is below 1 % of a request that writes, and below
-- 2 % of a row of an import. Whole requests with and without these indexes, in one run: a create takes 0.98 times the CPU (two processes of one
-- build differ by 5.6 %), a status change 1.01 times (1.7 %).
create index on employees (tenant_id, updated_at, id);
create index on clients (tenant_id, updated_at, id);
create index on contacts (tenant_id, updated_at, id);
create index on projects (tenant_id, updated_at, id);
create index on events (tenant_id, updated_at, id);
create index on event_functions (tenant_id, updated_at, id);
create index on assignments (tenant_id, updated_at, id);
create index on work_times (tenant_id, updated_at, id);
