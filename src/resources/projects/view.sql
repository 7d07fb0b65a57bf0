-- Events are grouped by project_id alone. With tenant_id, which is a constant in each query, Postgres could not prove that the join adds
-- no rows, and would execute it even if neither time is requested.
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
