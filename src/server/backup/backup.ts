import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { replaceFile } from '../../core/disk/secret-file.ts';
import type { Database } from '../../db/open.ts';
import { InputError } from '../../tenancy/names.ts';
import type { Config } from '../config/config.ts';
import { copyFolder, linkFolder, separate } from './copy.ts';
import { MANIFEST, type Manifest, partsOf } from './parts.ts';

const isInside = (path: string, folder: string): boolean => `${path}${sep}`.startsWith(`${folder}${sep}`);

/** Creates the folder of a backup. @throws InputError if it exists, or lies in the installation */
const createTarget = (folder: string, config: Pick<Config, 'dataDir' | 'files'>): string => {
  if (existsSync(folder)) throw new InputError(`${folder} exists already: name a new folder`);
  if (!existsSync(dirname(folder))) throw new InputError(`${dirname(folder)} does not exist`);
  const target = join(realpathSync(dirname(folder)), basename(folder));
  for (const own of [config.dataDir, config.files.folder].filter(existsSync)) {
    if (isInside(target, realpathSync(own)))
      throw new InputError(`${folder} lies in ${own}, which the backup is of: name a folder outside`);
  }
  mkdirSync(target, { mode: 0o700 });
  return target;
};

/**
 * Writes a backup of the embedded database, files, token keys and certificate into a new folder.
 * They are as they are at one moment. Requests that need the database wait while its folder is copied.
 * @throws InputError
 */
export const backUp = async (
  folder: string,
  config: Pick<Config, 'dataDir' | 'files'>,
  database: Pick<Database, 'kind' | 'still'>,
  version: string,
): Promise<Manifest> => {
  if (database.kind !== 'embedded')
    throw new InputError('The database is a Postgres server: back it up with pg_dump (docs/operations.md)');
  const target = createTarget(folder, config);
  try {
    const created = new Date();
    await database.still(async () => {
      for (const { name, path } of partsOf(config)) {
        // Contents of files never change: links are enough until the database may go on.
        if (name === 'content') await linkFolder(path, join(target, name));
        else await copyFolder(path, join(target, name));
      }
    });
    await separate(join(target, 'content'));
    const manifest: Manifest = {
      format: 1,
      version,
      created_at: created.toISOString(),
      files: config.files.s3 === null,
    };
    replaceFile(join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
};
