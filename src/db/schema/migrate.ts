import { type Generated, type Kysely, sql } from 'kysely';
import type { Pool } from '../connection.ts';
import { TENANT_ROLE } from '../enter.ts';
import { DatabaseError, type DatabaseErrorKind } from '../errors.ts';
import { kyselyOn } from '../kysely.ts';
import { inOrder, removalOf } from './definitions.ts';
import { type DatabaseSchema, hashOf, type SqlFile } from './files.ts';
import { differing, planOf, SchemaError, type SchemaState } from './plan.ts';
import { grantRoles, isRoleSafe } from './roles.ts';
import { obstacleOf, type PostgresServer } from './supported.ts';
import { PLANNED_TENANT } from './walls.ts';

/** A migration and whether the database has it. */
export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** The service's record of the files applied to a database. */
interface SchemaTables {
  schema_migrations: { name: string; hash: string; applied_at: Generated<string> };
  schema_definitions: {
    name: string;
    hash: string;
    /** Position in the order of creation. */
    place: number;
    /** Statements that drop what the file created. */
    removal: string;
    release: string;
  };
}

const record = `
  create table schema_migrations (name text primary key, hash text not null, applied_at timestamptz not null default now());
  create table schema_definitions (
    name text primary key, hash text not null, place integer not null, removal text not null, release text not null
  )`;

/** Key of the advisory lock of migrations: an arbitrary number, unlikely to be used by another program. */
export const LOCK = 7_426_101_823;

/** The outcome of a migration. */
export interface Migrated {
  /** Names of the applied migrations. */
  readonly applied: readonly string[];
  /** The newer release whose views and functions were left as they are; null: they are this one's. */
  readonly keptRelease: string | null;
}

/**
 * Applies pending migrations and changed definitions in one transaction.
 * Views and functions are dropped before the first migration and created after the last. Concurrent calls, also of other processes, run
 * sequentially.
 * @param login the database user of the service, if it is not the one that migrates; null: the same.
 * @param signal ends it between two files; then none of them is applied.
 * @throws SchemaError if the server is not supported, or the database belongs to a newer release or to a build that was none; Error of the
 * signal.
 */
export const migrate = (
  pool: Pool,
  login: string | null,
  schema: DatabaseSchema,
  signal?: AbortSignal,
): Promise<Migrated> =>
  kyselyOn<SchemaTables>(pool)
    .transaction()
    .execute(async db => {
      await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`.execute(db);
      await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(db);
      const state = await readState(db);
      const { pending, replace, keptRelease } = planOf(schema, state);
      if (state.isEmpty) await sql.raw(record).execute(db);
      if (replace) await removeDefinitions(db, state);
      for (const file of pending) {
        await apply(db, file, signal);
        await db
          .insertInto('schema_migrations')
          .values({ name: file.name, hash: hashOf(file) })
          .execute();
      }
      if (replace) await makeDefinitions(db, schema, signal);
      await grantRoles(db, login);
      if (!(await isRoleSafe(db)))
        throw new SchemaError(
          `The role ${TENANT_ROLE} must exist, must own no table, and must neither be a superuser nor bypass row security.`,
        );
      return { applied: pending.map(({ name }) => name), keptRelease };
    });

/**
 * Returns each migration of the release and whether the database has it.
 * @throws SchemaError as `migrate` does.
 */
export const migrationStatus = async (pool: Pool, schema: DatabaseSchema): Promise<MigrationStatus[]> => {
  const { pending } = planOf(schema, await readState(kyselyOn<SchemaTables>(pool)));
  return schema.migrations.map(file => ({ name: file.name, applied: !pending.includes(file) }));
};

/**
 * Returns the migrations not applied yet and, where recreated, the definitions that differ.
 * @throws SchemaError as `migrate` does.
 */
export const pendingFiles = async (pool: Pool, schema: DatabaseSchema): Promise<string[]> => {
  const state = await readState(kyselyOn<SchemaTables>(pool));
  const { pending, replace } = planOf(schema, state);
  const definitions = replace ? differing(schema.definitions, state.definitions) : [];
  return [...pending, ...definitions].map(({ name }) => name);
};

const readState = async (db: Kysely<SchemaTables>): Promise<SchemaState> => {
  const { rows } = await sql<FoundDatabase>`
    select to_regclass('schema_migrations') is not null as known, to_regclass('kysely_migration') is not null as first,
      current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
      exists (select from pg_collation where collname = 'und-x-icu') as icu
  `.execute(db);
  const [{ known, first: isFirstBuild, ...server }] = rows as [FoundDatabase];
  const obstacle = obstacleOf(server);
  if (obstacle !== null) throw new SchemaError(obstacle);
  if (!known) return { isEmpty: true, isFirstBuild, migrations: [], definitions: [] };
  const migrations = await db.selectFrom('schema_migrations').select(['name', 'hash']).orderBy('name').execute();
  const definitions = await db.selectFrom('schema_definitions').selectAll().orderBy('place').execute();
  return { isEmpty: false, isFirstBuild, migrations, definitions };
};

interface FoundDatabase extends PostgresServer {
  readonly known: boolean;
  readonly first: boolean;
}

/** Drops the views and functions of a database; `migrate` creates them again. */
export const dropDefinitions = async (db: Kysely<SchemaTables>): Promise<void> =>
  removeDefinitions(db, await readState(db));

const removeDefinitions = async (db: Kysely<SchemaTables>, { definitions }: SchemaState): Promise<void> => {
  if (definitions.length === 0) return;
  const removals = definitions.map(({ removal }) => removal).reverse();
  await sql.raw(removals.join('\n')).execute(db);
  await db.deleteFrom('schema_definitions').execute();
};

const makeDefinitions = async (
  db: Kysely<SchemaTables>,
  { release, definitions }: DatabaseSchema,
  signal?: AbortSignal,
): Promise<void> => {
  const made = inOrder(definitions);
  for (const file of made) await apply(db, file, signal);
  await sql.raw(plannedByTenant).execute(db);
  const rows = made.map((file, place) => ({
    name: file.name,
    hash: hashOf(file),
    place,
    removal: removalOf(file),
    release,
  }));
  if (rows.length > 0) await db.insertInto('schema_definitions').values(rows).execute();
};

/**
 * Lets a distributed database plan each statement for the node of its tenant.
 * It finds the node by the tenant's value, which a generic plan of a function lacks. On the coordinator, which stores no rows, policies have it
 * as a constant: so do then also the tables that a view reads beside its own. Workers keep a policy whose value no plan can keep.
 * Functions that return rows are called: inlined, their tables have no value that it knows.
 */
const plannedByTenant = `do $$
declare
  name regprocedure;
  called record;
  policy record;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is null then return; end if;
  for name in
    select oid from pg_proc, unnest(proconfig) setting
    where pronamespace = current_schema()::regnamespace and setting like 'plan_cache_mode=%'
  loop
    execute format('alter function %s reset plan_cache_mode', name);
  end loop;
  if not exists (select from pg_dist_partition where partmethod = 'h') then return; end if;
  for called in
    select proname, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result, prosrc as body
    from pg_proc p join pg_language l on l.oid = prolang
    where pronamespace = current_schema()::regnamespace and lanname = 'sql' and proretset and provolatile = 's' and not prosecdef
  loop
    execute format(
      'create or replace function %I(%s) returns %s language plpgsql stable as %L', called.proname, called.arguments, called.result,
      -- As in SQL, a column comes before a value of the call with its name.
      '#variable_conflict use_column' || chr(10) || 'begin return query ' || called.body || '; end'
    );
  end loop;
  create or replace function ${PLANNED_TENANT} returns bigint language sql immutable parallel safe as
    $body$ select nullif(current_setting('app.tenant_id', true), '')::bigint $body$;
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  for policy in
    select polname, polrelid::regclass as name from pg_policy join pg_dist_partition on polrelid = logicalrelid
    where partmethod = 'h' and pg_get_expr(polqual, polrelid) not like '%${PLANNED_TENANT}%'
  loop
    execute format('alter policy %I on %s using (tenant_id = ${PLANNED_TENANT})', policy.polname, policy.name);
  end loop;
  perform set_config('citus.enable_ddl_propagation', 'on', true);
end $$`;

const temporary: ReadonlySet<DatabaseErrorKind> = new Set(['unavailable', 'conflict', 'timeout']);

/** Runs all statements of a file. @throws SchemaError with its file and line; Error of the signal */
const apply = async (db: Kysely<SchemaTables>, { name, text }: SqlFile, signal?: AbortSignal): Promise<void> => {
  signal?.throwIfAborted();
  try {
    await sql.raw(text).execute(db);
  } catch (error) {
    if (!(error instanceof DatabaseError) || temporary.has(error.kind)) throw error;
    const { message = '', position } = (error.cause ?? {}) as { message?: string; position?: string };
    const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`;
    throw new SchemaError(`${name}${line}: ${message}`, { cause: error });
  }
};
