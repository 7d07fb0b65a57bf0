import { existsSync } from 'node:fs';
import { type rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { makeFolder } from '../../core/disk/folders.ts';
import { readIfPresent } from '../../core/disk/secret-file.ts';
import { DatabaseInUseError, hasEmbedded, lockEmbedded } from '../../db/embedded/embedded.ts';
import type { Database } from '../../db/open.ts';
import { renewJournals } from '../../tenancy/journals.ts';
import { InputError } from '../../tenancy/names.ts';
import type { Config } from '../config/config.ts';
import { describeFailure } from '../describe-failure.ts';
import { interruptedIn, requireWhole } from '../interrupted-restore.ts';
import { openConfigured } from '../open-configured.ts';
import { none, type Revocations, removeKeys, revokedIn, revokeIn, type TokenRevocations } from './carry-over.ts';
import { copyFolder } from './copy.ts';
import { type BackupPart, MANIFEST, type Manifest, partsOf } from './parts.ts';
import { type Replacement, replace } from './replacement.ts';

/** What a restore has done. */
export interface Restored {
  readonly manifest: Manifest;
  /** Where the data that were there before are now. */
  readonly before: readonly string[];
  /** What was revoked or removed after the backup, and therefore stays so. */
  readonly revocations: Revocations;
}

/** How data are restored. */
export interface RestoreOptions {
  /** Tokens that were revoked and keys that were removed after the backup are valid again. */
  readonly revalidate?: boolean;
  /** Renames a folder; for tests. */
  readonly move?: typeof rename;
}

const readManifest = (folder: string): Manifest => {
  const text = readIfPresent(join(folder, MANIFEST));
  if (text === null) throw new InputError(`${folder} is not a complete backup: it has no ${MANIFEST}`);
  const manifest: Manifest = JSON.parse(text);
  if (manifest.format === 1) return manifest;
  throw new InputError(`${folder} has the format ${manifest.format}, which this release cannot read`);
};

/**
 * Restores a backup into the folders of the configuration; no server may be running on them.
 * What was there before is moved aside, but its revocations of tokens and removals of keys are taken over. Pending migrations are applied,
 * and every journal starts a new epoch: cursors of earlier times have expired. A restore that was interrupted is completed.
 * @throws InputError
 */
export const restore = async (
  folder: string,
  config: Config,
  log: Logger,
  { revalidate = false, move }: RestoreOptions = {},
): Promise<Restored> => {
  if (config.database.url !== null)
    throw new InputError('The database is a Postgres server: restore it with pg_restore (docs/operations.md)');
  const interrupted = interruptedIn<Replacement>(config.dataDir);
  // All that is missing has been copied: the backup need not be there any more.
  const manifest = interrupted?.folder === folder ? interrupted.manifest : readManifest(folder);
  if (interrupted && interrupted.folder !== folder) requireWhole(config.dataDir);
  makeFolder(config.dataDir);
  const revoked = interrupted || revalidate ? null : await readRevoked(config, log);
  const release = lock(config.dataDir);
  try {
    const replacement = interrupted ?? (await stage(folder, manifest, revoked, config, log));
    const before = await replace(replacement, config.dataDir, move);
    return { manifest: replacement.manifest, revocations: replacement.revocations, before };
  } finally {
    release();
  }
};

/** Restores a backup beside the data in use. */
const stage = async (
  folder: string,
  manifest: Manifest,
  revoked: TokenRevocations | null,
  config: Config,
  log: Logger,
): Promise<Replacement> => {
  const stage = join(config.dataDir, 'restoring');
  const stagedAt = ({ name, path }: BackupPart): string =>
    name === 'content' ? `${path}.restoring` : join(stage, name);
  const parts = partsOf(config).filter(({ name }) => existsSync(join(folder, name)));
  for (const path of [stage, ...parts.map(stagedAt)]) await rm(path, { recursive: true, force: true });
  makeFolder(stage, 0o700);
  for (const part of parts) {
    makeFolder(dirname(part.path), 0o700);
    await copyFolder(join(folder, part.name), stagedAt(part));
  }
  const tokens = await prepare({ ...config, dataDir: stage }, revoked, log);
  const keys = revoked ? removeKeys(join(stage, 'keys'), join(config.dataDir, 'keys')) : [];
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const moves = parts.map(part => ({ from: stagedAt(part), to: part.path, aside: `${part.path}.before-${stamp}` }));
  return { folder, manifest, revocations: { ...tokens, keys }, stage, moves };
};

/** Returns the revoked tokens of the data; null: none. @throws InputError if they cannot be read */
const readRevoked = async (config: Config, log: Logger): Promise<TokenRevocations | null> => {
  if (!hasEmbedded(config.dataDir)) return null;
  try {
    return await withDatabase(config, log, revokedIn);
  } catch (error) {
    if (error instanceof DatabaseInUseError) throw inUse(error);
    throw new InputError(
      `The present database cannot be read, so that it is not known which tokens were revoked after the backup: ${describeFailure(error)}. Restore with --revalidate, and revoke them again`,
    );
  }
};

const lock = (dataDir: string): (() => void) => {
  try {
    return lockEmbedded(dataDir);
  } catch (error) {
    throw error instanceof DatabaseInUseError ? inUse(error) : error;
  }
};

const inUse = (error: DatabaseInUseError): InputError =>
  new InputError(`A backup is restored while the server is stopped. ${error.message}`);

/** Migrates the restored database, starts new epochs and revokes tokens, before it is used. */
const prepare = (config: Config, revoked: TokenRevocations | null, log: Logger): Promise<TokenRevocations> =>
  withDatabase(config, log, async database => {
    await database.migrate();
    await renewJournals(database);
    return revoked ? revokeIn(database, revoked) : none;
  });

const withDatabase = async <T>(config: Config, log: Logger, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = openConfigured(config, log);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};
