create view clients_view with (security_invoker = true) as select *, company as name from clients;
grant select on clients_view to staffing_tenant;
