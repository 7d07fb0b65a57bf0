import { type Generated, type Kysely, sql } from 'kysely';
import type { Pool } from '../connection.ts';
import { TENANT_ROLE } from '../enter.ts';
import { DatabaseError, type DatabaseErrorKind } from '../errors.ts';
import { kyselyOn } from '../kysely.ts';
import { inOrder, removalOf } from './definitions.ts';
import { hashOf, type Schema, type SqlFile } from './files.ts';
import { grantRoles, isRoleSafe } from './roles.ts';

/** The database cannot be brought to, or is not in, the state that this release works with. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** What a database was made by: the service's own record. */
interface SchemaTables {
  schema_migrations: { name: string; hash: string; applied_at: Generated<string> };
  schema_definitions: {
    name: string;
    hash: string;
    /** In the order in which they were made. */
    place: number;
    /** The statements that remove what it made. */
    removal: string;
    release: string;
  };
}

const record = `
  create table schema_migrations (name text primary key, hash text not null, applied_at timestamptz not null default now());
  create table schema_definitions (
    name text primary key, hash text not null, place integer not null, removal text not null, release text not null
  )`;

/** Any number that no other program on the database uses for its locks. */
const LOCK = 7_426_101_823;

/** What has been done, and what was left undone. */
export interface Migrated {
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[];
  /** The newer release whose views and functions were left as they are; null: they are this release's. */
  readonly keptRelease: string | null;
}

/**
 * Applies what is pending, in one transaction: all of it or nothing. Views and functions are removed before the first migration and
 * made after the last. Of several that migrate at once one does, and the others wait.
 * @param login the user that will work with the tables, if it is not the one that migrates.
 * @throws SchemaError if the database is another's: a newer release's, an older build's, or one made by other files.
 */
export const migrate = (pool: Pool, login: string | null, schema: Schema): Promise<Migrated> =>
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
        await apply(db, file);
        await db
          .insertInto('schema_migrations')
          .values({ name: file.name, hash: hashOf(file) })
          .execute();
      }
      if (replace) await makeDefinitions(db, schema);
      await grantRoles(db, login);
      if (!(await isRoleSafe(db)))
        throw new SchemaError(
          `The role ${TENANT_ROLE} must exist, own no table, and neither be a superuser nor bypass row security.`,
        );
      return { applied: pending.map(({ name }) => name), keptRelease };
    });

/**
 * Returns each migration of the release, and whether the database has it.
 * @throws SchemaError as `migrate` does.
 */
export const migrationStatus = async (pool: Pool, schema: Schema): Promise<MigrationStatus[]> => {
  const { pending } = planOf(schema, await readState(kyselyOn<SchemaTables>(pool)));
  return schema.migrations.map(file => ({ name: file.name, applied: !pending.includes(file) }));
};

/**
 * Returns the names of the migrations that the database lacks and, if they would be made anew, of the definitions that differ.
 * @throws SchemaError as `migrate` does.
 */
export const pendingFiles = async (pool: Pool, schema: Schema): Promise<string[]> => {
  const state = await readState(kyselyOn<SchemaTables>(pool));
  const { pending, replace } = planOf(schema, state);
  const definitions = replace ? differing(schema.definitions, state.definitions) : [];
  return [...pending, ...definitions].map(({ name }) => name);
};

interface State {
  readonly isEmpty: boolean;
  readonly isFirstBuild: boolean;
  readonly migrations: readonly Recorded[];
  readonly definitions: readonly (Recorded & { readonly removal: string; readonly release: string })[];
}

interface Recorded {
  readonly name: string;
  readonly hash: string;
}

const readState = async (db: Kysely<SchemaTables>): Promise<State> => {
  const { rows } = await sql<{ known: boolean; first: boolean }>`
    select to_regclass('schema_migrations') is not null as known, to_regclass('kysely_migration') is not null as first
  `.execute(db);
  const { known = false, first: isFirstBuild = false } = rows[0] ?? {};
  if (!known) return { isEmpty: true, isFirstBuild, migrations: [], definitions: [] };
  const migrations = await db.selectFrom('schema_migrations').select(['name', 'hash']).orderBy('name').execute();
  const definitions = await db.selectFrom('schema_definitions').selectAll().orderBy('place').execute();
  return { isEmpty: false, isFirstBuild, migrations, definitions };
};

interface Plan {
  readonly pending: readonly SqlFile[];
  /** Whether views and functions are to be made anew. */
  readonly replace: boolean;
  readonly keptRelease: string | null;
}

const planOf = ({ release, migrations, definitions }: Schema, state: State): Plan => {
  refuseOther(migrations, state);
  const applied = new Set(state.migrations.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const [newest] = state.definitions
    .map(made => made.release)
    .sort(compareReleases)
    .slice(-1);
  const keptRelease = newest !== undefined && compareReleases(newest, release) > 0 ? newest : null;
  if (keptRelease !== null && pending.length > 0)
    throw new SchemaError(
      `Release ${keptRelease} made this database's views and functions, and release ${release} is older: it cannot apply ${namesOf(pending)}. Start release ${keptRelease} or a later one.`,
    );
  const isChanged =
    differing(definitions, state.definitions).length > 0 || definitions.length !== state.definitions.length;
  return { pending, replace: keptRelease === null && (isChanged || pending.length > 0), keptRelease };
};

const refuseOther = (migrations: readonly SqlFile[], state: State): void => {
  if (state.isFirstBuild)
    throw new SchemaError(
      'This database was made by a build before release 1.0.0, whose tables this release cannot take over. Export its data through the API of that build, and start this release with an empty database: another DATABASE_URL, or another DATA_DIR.',
    );
  const own = new Set(migrations.map(({ name }) => name));
  const unknown = state.migrations.filter(({ name }) => !own.has(name));
  if (unknown.length > 0)
    throw new SchemaError(
      `A newer release has migrated this database (${namesOf(unknown)}): start that release or a later one.`,
    );
  const changed = differing(migrations, state.migrations, () => false);
  if (changed.length > 0)
    throw new SchemaError(
      `These migrations are not the files that were applied to this database: ${namesOf(changed)}. Restore the files as they were released, and make the change in a new migration.`,
    );
  const last = state.migrations.at(-1)?.name ?? '';
  const late = migrations.filter(({ name }) => name < last && !state.migrations.some(made => made.name === name));
  if (late.length > 0)
    throw new SchemaError(
      `These migrations come before ${last}, which this database already has: ${namesOf(late)}. Give them later numbers.`,
    );
};

/** Returns the files whose text is not the recorded one; one that is not recorded counts, unless told otherwise. */
export const differing = (
  files: readonly SqlFile[],
  recorded: readonly Recorded[],
  isMissing = (): boolean => true,
): readonly SqlFile[] => {
  const hashes = new Map(recorded.map(({ name, hash }) => [name, hash]));
  return files.filter(file => (hashes.has(file.name) ? hashes.get(file.name) !== hashOf(file) : isMissing()));
};

const compareReleases = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });

const namesOf = (list: readonly { readonly name: string }[]): string => list.map(({ name }) => name).join(', ');

const removeDefinitions = async (db: Kysely<SchemaTables>, { definitions }: State): Promise<void> => {
  if (definitions.length === 0) return;
  const removals = definitions.map(({ removal }) => removal).reverse();
  await sql.raw(removals.join('\n')).execute(db);
  await db.deleteFrom('schema_definitions').execute();
};

const makeDefinitions = async (db: Kysely<SchemaTables>, { release, definitions }: Schema): Promise<void> => {
  const made = inOrder(definitions);
  for (const file of made) await apply(db, file);
  const rows = made.map((file, place) => ({
    name: file.name,
    hash: hashOf(file),
    place,
    removal: removalOf(file),
    release,
  }));
  if (rows.length > 0) await db.insertInto('schema_definitions').values(rows).execute();
};

const passing: ReadonlySet<DatabaseErrorKind> = new Set(['unavailable', 'conflict', 'timeout']);

/** Sends a whole file at once. */
const apply = async (db: Kysely<SchemaTables>, { name, text }: SqlFile): Promise<void> => {
  try {
    await sql.raw(text).execute(db);
  } catch (error) {
    if (!(error instanceof DatabaseError) || passing.has(error.kind)) throw error;
    const { message = '', position } = (error.cause ?? {}) as { message?: string; position?: string };
    const line = position === undefined ? '' : `, line ${text.slice(0, Number(position)).split('\n').length}`;
    throw new SchemaError(`${name}${line}: ${message}`, { cause: error });
  }
};
