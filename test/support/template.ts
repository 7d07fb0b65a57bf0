import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { openDatabase } from '../../src/db/open.ts';
import { ownSchema } from '../../src/db/schema/files.ts';

const cache = 'node_modules/.cache/databases';

/** A name that differs whenever the files of a migrated database could. */
const nameOf = (): string => {
  const hash = createHash('sha256').update(JSON.stringify(ownSchema));
  const files = ['node_modules/@electric-sql/pglite/package.json', ...globSync('src/db/**/*.ts').sort()];
  for (const file of files) hash.update(file).update(readFileSync(file));
  return `${hash.digest('hex')}.tar.gz`;
};

/** Returns the files of a migrated embedded database as a tar archive. */
const make = async (): Promise<Uint8Array> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'template-'));
  try {
    const migrated = openDatabase({ url: null, dataDir });
    await migrated.migrate().finally(() => migrated.close());
    const database = await PGlite.create({ dataDir: join(dataDir, 'database'), extensions: { btree_gist } });
    const archive = await database.dumpDataDir('none').finally(() => database.close());
    return new Uint8Array(await archive.arrayBuffer());
  } finally {
    rmSync(dataDir, { recursive: true });
  }
};

/** Returns the path of a gzipped tar archive with the files of a migrated embedded database: `embeddedTemplate`. */
export const templateFile = async (): Promise<string> => {
  const file = join(cache, nameOf());
  if (existsSync(file)) return file;
  const archive = await make();
  mkdirSync(cache, { recursive: true });
  // Whole at once, for other processes of tests.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, gzipSync(archive, { level: 1 }));
  renameSync(unfinished, file);
  return file;
};

let found: Promise<Uint8Array> | undefined;

/**
 * Returns the files of a migrated embedded database, for the option `template` of `openDatabase`: to open it takes a fifth of the time.
 * It is made when the schema, the code of the database or PGlite has changed, and kept in `node_modules/.cache`.
 */
export const embeddedTemplate = (): Promise<Uint8Array> => {
  found ??= templateFile().then(file => gunzipSync(readFileSync(file)));
  return found;
};

/** Makes a data folder whose embedded database is migrated, as one of an earlier start. */
export const makeMigrated = async (dataDir: string): Promise<void> => {
  const database = openDatabase({ url: null, dataDir, template: await embeddedTemplate() });
  await database.ping().finally(() => database.close());
};
