import { type Kysely, sql } from 'kysely';
import { TENANT_ROLE } from '../enter.ts';
import { JOBS } from '../queue.ts';

// biome-ignore lint/suspicious/noExplicitAny: any tables
type AnyKysely = Kysely<any>;

/** Lets the user that migrates and the one that works take the tenants' role, and the latter use the tables. */
export const grantRoles = async (db: AnyKysely, login: string | null): Promise<void> => {
  const { rows } = await sql<Place>`select current_user as user, current_schema() as schema`.execute(db);
  const { user, schema } = rows[0] as Place;
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

interface Place {
  readonly user: string;
  readonly schema: string;
}

/**
 * Up to Postgres 15 every member of a role can take it; since 16 that is a privilege of its own. Done once more if another database's
 * migration granted something at the same moment.
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

/** Whether the tenants' role exists and has no more power than row security allows for: it may have been there before. */
export const isRoleSafe = async (db: AnyKysely): Promise<boolean> => {
  const { rows } = await sql<{ safe: boolean }>`
    select not (rolsuper or rolbypassrls or exists (select from pg_class where relowner = r.oid)) as safe
    from pg_roles r where rolname = ${TENANT_ROLE}`.execute(db);
  return rows[0]?.safe ?? false;
};
