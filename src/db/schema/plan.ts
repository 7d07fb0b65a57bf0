import { type DatabaseSchema, hashOf, type Recorded, type SqlFile } from './files.ts';

/** The database's schema is not, and cannot be migrated to, the schema of this release. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** What a database records of its schema. */
export interface SchemaState {
  readonly isEmpty: boolean;
  readonly isFirstBuild: boolean;
  readonly migrations: readonly Recorded[];
  readonly definitions: readonly (Recorded & { readonly removal: string; readonly release: string })[];
}

/** What a database needs to have the schema of a release. */
export interface MigrationPlan {
  readonly pending: readonly SqlFile[];
  /** Whether views and functions must be recreated. */
  readonly replace: boolean;
  readonly keptRelease: string | null;
}

/**
 * Returns what a database needs to have the schema of a release.
 * @throws SchemaError if it belongs to a newer release, or to a build that was none
 */
export const planOf = (schema: DatabaseSchema, state: SchemaState): MigrationPlan => {
  const { release, migrations, definitions } = schema;
  rejectMismatch(schema, state);
  const applied = new Set(state.migrations.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const keptRelease = newerReleaseOf(schema, state);
  if (keptRelease !== null && pending.length > 0)
    throw new SchemaError(
      `The views and functions of this database are those of release ${keptRelease}. Release ${release} is older and cannot apply ${namesOf(pending)}: start release ${keptRelease} or a later one.`,
    );
  const isChanged =
    differing(definitions, state.definitions).length > 0 || definitions.length !== state.definitions.length;
  return { pending, replace: keptRelease === null && (isChanged || pending.length > 0), keptRelease };
};

/** Returns the release that made the views and functions of a database, if it is newer than this one. */
const newerReleaseOf = ({ release }: DatabaseSchema, { definitions }: SchemaState): string | null => {
  const newest = definitions
    .map(made => made.release)
    .sort(compareReleases)
    .at(-1);
  return newest !== undefined && compareReleases(newest, release) > 0 ? newest : null;
};

const rejectMismatch = (schema: DatabaseSchema, state: SchemaState): void => {
  const { migrations, released } = schema;
  const releases = released.map(({ version }) => version);
  const way = `Export its data through the API of that build, and start release ${schema.release} with an empty database: another DATABASE_URL, or another DATA_DIR.`;
  if (state.isFirstBuild)
    throw new SchemaError(
      `This database was created by a build before release ${releases[0]}, whose tables release ${schema.release} cannot migrate. ${way}`,
    );
  const own = new Set(migrations.map(({ name }) => name));
  const unknown = state.migrations.filter(({ name }) => !own.has(name));
  const newer = newerReleaseOf(schema, state);
  if (unknown.length > 0 && newer !== null)
    throw new SchemaError(
      `This database was migrated by release ${newer} (${namesOf(unknown)}): start release ${newer} or a later one.`,
    );
  const frozen = new Set(released.flatMap(made => made.migrations.map(({ name }) => name)));
  const changed = differing(migrations, state.migrations, () => false);
  if (changed.some(({ name }) => frozen.has(name)))
    throw new SchemaError(
      `These migrations differ from the files applied to this database: ${namesOf(changed)}. Restore the released files, and make the change in a new migration.`,
    );
  if (unknown.length > 0 || changed.length > 0)
    throw new SchemaError(
      `This database was migrated by a build that is no release (${namesOf([...unknown, ...changed])}). Only databases of releases are migrated: ${releases.join(', ')}. ${way}`,
    );
  const last = state.migrations.at(-1)?.name ?? '';
  const late = migrations.filter(({ name }) => name < last && !state.migrations.some(made => made.name === name));
  if (late.length > 0)
    throw new SchemaError(
      `These migrations come before ${last}, which this database already has: ${namesOf(late)}. Give them later numbers.`,
    );
};

/** Returns the files that differ from the recorded ones, and unrecorded ones with `isMissing`. */
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
