import { existsSync, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { lockEmbedded } from '../../db/embedded/embedded.ts';
import { renewEpochs } from '../../tenancy/epochs.ts';
import { InputError } from '../../tenancy/names.ts';
import type { Config } from '../config/config.ts';
import { openConfigured } from '../open-configured.ts';
import { readIfPresent } from '../secret-file.ts';
import { copyFolder } from './copy.ts';
import { MANIFEST, type Manifest, type Part, partsOf } from './parts.ts';

/** What a restore has done. */
export interface Restored {
  readonly manifest: Manifest;
  /** Where the data that were there before are now. */
  readonly before: readonly string[];
}

const readManifest = (folder: string): Manifest => {
  const text = readIfPresent(join(folder, MANIFEST));
  if (text === null) throw new InputError(`${folder} is not a complete backup: it has no ${MANIFEST}`);
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format === 1) return manifest;
  throw new InputError(`${folder} has the format ${manifest.format}, which this release cannot read`);
};

/**
 * Restores a backup into the folders of the configuration; no server may be running on them. What was there before is moved aside.
 * Pending migrations are applied, and every journal starts a new epoch: cursors of earlier times have expired.
 * @throws InputError, DatabaseInUseError
 */
export const restore = async (folder: string, config: Config, log: Logger): Promise<Restored> => {
  if (config.database.url !== null)
    throw new InputError('The database is a Postgres server: restore it with pg_restore (docs/operations.md)');
  const manifest = readManifest(folder);
  mkdirSync(config.dataDir, { recursive: true });
  const release = lockEmbedded(config.dataDir);
  const stage = join(config.dataDir, 'restoring');
  const stagedAt = ({ name, path }: Part): string => (name === 'content' ? `${path}.restoring` : join(stage, name));
  const parts = partsOf(config).filter(({ name }) => existsSync(join(folder, name)));
  try {
    for (const path of [stage, ...parts.map(stagedAt)]) await rm(path, { recursive: true, force: true });
    mkdirSync(stage, { mode: 0o700 });
    for (const part of parts) {
      mkdirSync(dirname(part.path), { recursive: true, mode: 0o700 });
      await copyFolder(join(folder, part.name), stagedAt(part));
    }
    await prepare({ ...config, dataDir: stage }, log);
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
    const before: string[] = [];
    for (const part of parts) {
      if (existsSync(part.path)) {
        const aside = `${part.path}.before-${stamp}`;
        await rename(part.path, aside);
        before.push(aside);
      }
      await rename(stagedAt(part), part.path);
    }
    await rm(stage, { recursive: true, force: true });
    return { manifest, before };
  } finally {
    release();
  }
};

/** Migrates the restored database and starts new epochs, before it is put in its place. */
const prepare = async (config: Config, log: Logger): Promise<void> => {
  const database = openConfigured(config, log);
  try {
    await database.migrate();
    await renewEpochs(database);
  } finally {
    await database.close();
  }
};
