import { type Kysely, sql } from 'kysely';
import { TENANT_ROLE } from '../enter.ts';

/** What shows rows of all tenants and has no policy: the reduced role cannot read it. */
const shared = 'tenant_hosts';

/** The condition of the policy that `tenant_table` makes, as Postgres prints it. */
const condition = `(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::bigint)`;

/** The tenant of a transaction as a constant of its plans, in policies of a coordinator (migrate.ts). */
export const PLANNED_TENANT = 'planned_tenant()';

/**
 * Returns one line for each table and view with which a tenant could reach another one's rows.
 * That is a table without forced row security or with another policy, rights that no policy restricts, and views with the rights of their
 * owner. What an extension brings is not the service's.
 * @param read the tables that the tenants' role has to be able to read
 */
export const findGaps = async (
  db: Kysely<Record<never, never>>,
  read: readonly string[],
): Promise<readonly string[]> => {
  const { rows } = await sql<{ gap: string }>`
    with parts as (
      select c.oid, c.relname as name, c.relkind as kind, c.relowner as owner, c.relrowsecurity and c.relforcerowsecurity as forced,
        coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1'], false) as invoker,
        exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as own,
        coalesce(c.relacl, acldefault('r', c.relowner)) as acl
      from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'f', 'm', 'v')
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    ),
    reduced as (select oid from pg_roles where rolname = ${TENANT_ROLE}),
    rights as (
      select p.oid, a.grantee, a.privilege_type as right from parts p, aclexplode(p.acl) a
      union all
      select p.oid, x.grantee, x.privilege_type from parts p
      join pg_attribute a on a.attrelid = p.oid, aclexplode(a.attacl) x
    )
    select case p.kind when 'v' then 'view ' else 'table ' end || p.name || ': ' || gap as gap
    from parts p
    cross join lateral (
      select 'row security is not forced' as gap where p.own and p.kind <> 'v' and p.name <> ${shared} and not p.forced
      union all
      select 'expected the policy "tenant" alone' where p.own and p.kind <> 'v' and p.name <> ${shared} and not coalesce((
        select count(*) = 1 and bool_and(
          polname = 'tenant' and polcmd = '*' and polpermissive and polroles = '{0}'
          and pg_get_expr(polwithcheck, polrelid) = ${condition}
          and (pg_get_expr(polqual, polrelid) = ${condition}
            or pg_get_expr(polqual, polrelid) = ${`(tenant_id = ${PLANNED_TENANT})`} and exists (select from pg_extension where extname = 'citus')))
        from pg_policy where polrelid = p.oid), false)
      union all
      select format('%s may %s', case r.grantee when 0 then 'PUBLIC' else ${TENANT_ROLE} end, string_agg(distinct lower(r.right), ', '))
      from rights r left join reduced on true
      where r.oid = p.oid and (r.grantee = 0 or r.grantee = reduced.oid
        and (not p.own or p.name = ${shared} or r.right not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')))
      group by r.grantee
      union all
      select format('belongs to %s', ${TENANT_ROLE}::text) from reduced where p.owner = reduced.oid
      union all
      select 'shows what its owner may read: it has to be a security_invoker' where p.kind = 'v' and not p.invoker
      union all
      select format('%s cannot read it', ${TENANT_ROLE}::text) from reduced
      where p.name = any(${read}) and not has_table_privilege(reduced.oid, p.oid, 'select')
    ) found
    order by 1`.execute(db);
  return rows.map(({ gap }) => gap);
};
