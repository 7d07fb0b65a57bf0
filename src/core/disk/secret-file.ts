import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './folders.ts';

const writeAside = (path: string, text: string, mode: number): string => {
  makeFolder(dirname(path), 0o700);
  const aside = `${path}.${randomUUID()}`;
  writeFileSync(aside, text, { mode, flag: 'wx' });
  return aside;
};

/** Replaces a file atomically: readers see either the old content or the new. */
export const replaceFile = (path: string, text: string, mode = 0o600): void => {
  renameSync(writeAside(path, text, mode), path);
};

/**
 * The content of a file that only its owner may read.
 * Creates it with the result of `make` if it does not exist. If several processes do so at once, one creates the file and
 * all return the same content.
 */
export const readOrMakeSecret = (path: string, make: () => string): string => {
  const existing = readIfPresent(path);
  if (existing !== null) return existing;
  const aside = writeAside(path, make(), 0o600);
  try {
    linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return readFileSync(path, 'utf8');
};

/** The content of a text file; null if it does not exist. */
export const readIfPresent = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    throw error;
  }
};

/** Whether an error has a code of Node.js, such as `ENOENT`. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
