import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of SQL statements. */
export interface SqlFile {
  /** For a migration, the file name without `.sql`; for a definition, the path in the repository. */
  readonly name: string;
  readonly text: string;
}

/** An earlier release, with the migrations that it had. */
export interface Released {
  readonly version: string;
  readonly migrations: readonly Recorded[];
}

/** A file as it was applied to a database, or released. */
export interface Recorded {
  readonly name: string;
  readonly hash: string;
}

/** The database schema of a release. */
export interface DatabaseSchema {
  /** The service's version: `1.10.0` is newer than `1.9.0`. */
  readonly release: string;
  /** The releases whose databases can be migrated, oldest first. */
  readonly released: readonly Released[];
  /** Files that create tables, sorted by name. A released migration never changes. */
  readonly migrations: readonly SqlFile[];
  /** Files that create views and functions; all are recreated whenever one changes. */
  readonly definitions: readonly SqlFile[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const migrationsFolder = join('src', 'db', 'migrations');

const read = (path: string): string => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** Returns the paths of the `.sql` files in a folder of the repository and its subfolders. */
const list = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.sql'))
    .map(path => join(folder, path))
    .sort();

const migrationFiles = list(migrationsFolder);
const definitionFiles = [...list('generated'), ...list('src')].filter(path => !path.startsWith(migrationsFolder));

/** The schema of this release: the migrations, and every other `.sql` file of `src` and `generated`. */
export const ownSchema: DatabaseSchema = {
  release: JSON.parse(read('package.json')).version,
  released: JSON.parse(read(join(migrationsFolder, 'released.json'))),
  migrations: migrationFiles.map(path => ({
    name: path.slice(migrationsFolder.length + 1, -'.sql'.length),
    text: read(path),
  })),
  definitions: definitionFiles.map(path => ({ name: path.replaceAll(sep, '/'), text: read(path) })),
};

/** Returns the SHA-256 of a file's text, in hexadecimal. */
export const hashOf = ({ text }: SqlFile): string => createHash('sha256').update(text).digest('hex');
