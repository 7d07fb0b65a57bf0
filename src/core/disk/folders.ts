import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether the path is that of a folder; false also where it cannot be found out. */
export const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/**
 * Makes a folder and all folders above it that do not exist.
 * The recursive mode of Node.js never ends where the system denies that a folder exists above which it does, as below /proc.
 * @param path absolute
 * @throws Error that names the folder which cannot be made
 */
export const makeFolder = (path: string, mode = 0o777): void => {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? 'a file has this name' : code;
    throw Object.assign(new Error(`The folder ${path} cannot be created: ${reason}.`, { cause: error }), { code });
  }
};
