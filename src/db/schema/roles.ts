import { type Kysely, sql } from 'kysely';
import { TENANT_ROLE } from '../enter.ts';
import { JOBS } from '../queue.ts';

// biome-ignore lint/suspicious/noExplicitAny: what is granted does not depend on the types of the tables
export type AnyKysely = Kysely<any>;

/**
 * Grants the tenants' role to the migrating user and to `login`, and the use of the tables to `login`.
 * @param login the database user of the service, if it is not the one that migrates; null: the same.
 */
export const grantRoles = async (db: AnyKysely, login: string | null): Promise<void> => {
  const { rows } = await sql<GrantScope>`select current_user as user, current_schema() as schema`.execute(db);
  const { user, schema } = rows[0] as GrantScope;
  await sql`grant usage on schema ${sql.id(schema)} to ${sql.id(TENANT_ROLE)}`.execute(db);
  await sql.raw(grantRole(user)).execute(db);
  if (login === null || login === user) return;
  await sql.raw(grantRole(login)).execute(db);
  await sql`grant usage on schema ${sql.id(schema)} to ${sql.id(login)}`.execute(db);
  await sql`grant usage on schema ${sql.id(JOBS)} to ${sql.id(login)}`.execute(db);
  for (const place of [schema, JOBS]) {
    await sql`grant select, insert, update, delete on all tables in schema ${sql.id(place)} to ${sql.id(login)}`.execute(
      db,
    );
    await sql`grant usage on all sequences in schema ${sql.id(place)} to ${sql.id(login)}`.execute(db);
  }
};

interface GrantScope {
  readonly user: string;
  readonly schema: string;
}

/**
 * Returns the statement that allows a user to SET ROLE to the tenants' role.
 * Up to Postgres 15, membership is enough; since 16 that is a separate privilege. Retried once, since a migration of another database in
 * the cluster may grant concurrently.
 */
const grantRole = (user: string): string => {
  const literal = `'${user.replaceAll("'", "''")}'`;
  const grant = `execute format('grant %I to %I', '${TENANT_ROLE}', ${literal});`;
  return `
    do $$
    declare
      privilege text := case when current_setting('server_version_num')::integer < 160000 then 'MEMBER' else 'SET' end;
    begin
      if not pg_has_role(${literal}, '${TENANT_ROLE}', privilege) then
        begin
          ${grant}
        exception when unique_violation or internal_error then
          perform pg_sleep(0.2);
          ${grant}
        end;
      end if;
    end $$`;
};

/** Whether the tenants' role exists under row security; someone else may have created it. */
export const isRoleSafe = async (db: AnyKysely): Promise<boolean> => {
  const { rows } = await sql<{ safe: boolean }>`
    select not (rolsuper or rolbypassrls or exists (select from pg_class where relowner = r.oid)) as safe
    from pg_roles r where rolname = ${TENANT_ROLE}`.execute(db);
  return rows[0]?.safe ?? false;
};
