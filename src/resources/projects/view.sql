-- Events are grouped by the project alone, which is of one tenant: the tenant of a query is a constant, and by the project and the
-- tenant Postgres could not tell that the join adds no rows, and would do it even where neither time is asked for.
create view projects_view with (security_invoker = true) as
select p.*,
  c.company as "client.company",
  s.start::timestamptz(0) as start,
  s."end"::timestamptz(0) as "end"
from projects p
left join clients c on c.tenant_id = p.tenant_id and c.id = p.client_id
left join (
  select min(tenant_id) as tenant_id, project_id, min(start) as start, max("end") as "end" from events group by project_id
) s on s.tenant_id = p.tenant_id and s.project_id = p.id;
grant select on projects_view to staffing_tenant;
