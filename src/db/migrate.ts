import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { TENANT_ROLE } from './enter.ts';
import { kyselyOn } from './kysely.ts';
import { migrations as ours } from './migrations/index.ts';
import type { Pool } from './pool.ts';
import { JOBS } from './queue.ts';
import type { AnyTables, Definitions } from './schema.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** The database cannot be brought to, or is not in, the state that this release works with. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** Any number that no other program on the database uses for its locks. */
const LOCK = 7_426_101_823;

/**
 * Applies what is pending, in one transaction: all of it or nothing. Of several that migrate at once one does, and the others wait.
 * @param login the user that will work with the tables, if it is not the one that migrates.
 * @returns the names of the migrations that were applied.
 * @throws SchemaError if a newer release has migrated the database.
 */
export const migrate = (pool: Pool, login: string | null, migrations: Migrations = ours): Promise<readonly string[]> =>
  kyselyOn<AnyTables>(pool)
    .transaction()
    .execute(async db => {
      await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(db);
      await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(db);
      refuseNewer(await appliedNames(db), migrations);
      const { error, results = [] } = await migrator(db, migrations).migrateToLatest();
      if (error) throw error;
      await grant(db, login);
      await checkRole(db);
      return results.map(({ migrationName }) => migrationName);
    });

/**
 * Each migration of this release, and whether the database has it.
 * @throws SchemaError if the database has one that this release does not know.
 */
export const migrationStatus = async (pool: Pool, migrations: Migrations = ours): Promise<MigrationStatus[]> => {
  const applied = await appliedNames(kyselyOn<AnyTables>(pool));
  refuseNewer(applied, migrations);
  return Object.keys(migrations).map(name => ({ name, applied: applied.includes(name) }));
};

const migrator = (db: Definitions, migrations: Migrations): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });

const appliedNames = async (db: Definitions): Promise<string[]> => {
  const { rows } = await sql<{ known: boolean }>`select to_regclass('kysely_migration') is not null as known`.execute(
    db,
  );
  if (!rows[0]?.known) return [];
  const names = await db.selectFrom('kysely_migration').select('name').orderBy('name').execute();
  return names.map(({ name }) => String(name));
};

const refuseNewer = (applied: readonly string[], migrations: Migrations): void => {
  const unknown = applied.filter(name => !(name in migrations));
  if (unknown.length > 0)
    throw new SchemaError(
      `A newer release has migrated this database (${unknown.join(', ')}): start that release or a later one.`,
    );
};

/** Lets the user that migrates and the one that works take the tenants' role, and the latter use the tables. */
const grant = async (db: Definitions, login: string | null): Promise<void> => {
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

/** Done once more if another database's migration granted something at the same moment. */
const grantRole = (user: string): string => {
  const literal = `'${user.replaceAll("'", "''")}'`;
  const grant = `execute format('grant %I to %I', '${TENANT_ROLE}', ${literal});`;
  return `
    do $$ begin
      if not pg_has_role(${literal}, '${TENANT_ROLE}', 'SET') then
        begin
          ${grant}
        exception when unique_violation or internal_error then
          perform pg_sleep(0.2);
          ${grant}
        end;
      end if;
    end $$`;
};

/** A role of that name may have been there before, with more power than row security allows for. */
const checkRole = async (db: Definitions): Promise<void> => {
  const { rows } = await sql<{ mighty: boolean; owns: boolean }>`
    select rolsuper or rolbypassrls as mighty,
      exists (select from pg_class where relowner = r.oid) as owns
    from pg_roles r where rolname = ${TENANT_ROLE}`.execute(db);
  const [role] = rows;
  if (!role || role.mighty || role.owns)
    throw new SchemaError(
      `The role ${TENANT_ROLE} must exist, own no table, and neither be a superuser nor bypass row security.`,
    );
};
