import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** The file that describes a backup; written last: without it, a folder is no backup. */
export const MANIFEST = 'backup.json';

/** The description of a backup. */
export interface Manifest {
  readonly format: 1;
  /** The version of the service that made it. */
  readonly version: string;
  /** Date-time (RFC 3339). */
  readonly created_at: string;
  /** Whether it has the contents of files; false: they are in an object storage. */
  readonly files: boolean;
}

/** A part of a backup. */
export interface BackupPart {
  /** Its folder in the backup. */
  readonly name: 'database' | 'content' | 'keys' | 'tls';
  /** Absolute path of the folder in use. */
  readonly path: string;
}

/** Returns the parts of an installation on the embedded database: the database first. */
export const partsOf = ({ dataDir, files }: Pick<Config, 'dataDir' | 'files'>): readonly BackupPart[] => [
  { name: 'database', path: join(dataDir, 'database') },
  ...(files.s3 ? [] : [{ name: 'content', path: join(files.folder, 'content') } as const]),
  { name: 'keys', path: join(dataDir, 'keys') },
  { name: 'tls', path: join(dataDir, 'tls') },
];
