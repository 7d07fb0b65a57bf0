-- Candidates, gaps, lines of pay runs and results of imports have no scopes of their own from here on: their readers need those of the records
-- that they belong to or tell of. Their scopes to write allowed nothing. An API user keeps at least one scope: without any it may do everything.
do $$
declare
  tenant record;
begin
  for tenant in select id from tenants order by id loop
    -- Row security holds for the tables' owner, too.
    perform set_config('app.tenant_id', tenant.id::text, true);
    update api_users u set scopes = coalesce(
      (
        select jsonb_agg(scope order by place) from (
          select coalesce(replacing, scope) as scope, min(place) as place
          from jsonb_array_elements_text(u.scopes) with ordinality given(scope, place)
          left join (values
            ('candidates:read', 'event-functions:read'),
            ('candidates:read', 'employees:read'),
            ('gaps:read', 'event-functions:read'),
            ('pay-run-lines:read', 'pay-runs:read'),
            ('import-results:read', 'imports:read')
          ) replaced(former, replacing) on former = scope
          where scope not in ('candidates:write', 'gaps:write', 'pay-run-lines:write', 'import-results:write')
          group by 1
        ) kept
      ),
      u.scopes
    )
    where tenant_id = tenant.id
      and u.scopes ?| array['candidates:read', 'gaps:read', 'pay-run-lines:read', 'import-results:read',
        'candidates:write', 'gaps:write', 'pay-run-lines:write', 'import-results:write'];
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
