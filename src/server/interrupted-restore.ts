import { join } from 'node:path';
import { readIfPresent } from '../core/disk/secret-file.ts';
import { InputError } from '../tenancy/names.ts';

/** Returns the path of the file that marks a restore which is not complete. */
export const markOf = (dataDir: string): string => join(dataDir, 'restore.json');

/** Returns the replacement that was interrupted; null: there is none. */
export const interruptedIn = <Mark extends { readonly folder: string }>(dataDir: string): Mark | null => {
  const text = readIfPresent(markOf(dataDir));
  return text === null ? null : JSON.parse(text);
};

/**
 * Requires that no restore of the data folder was interrupted.
 * Some of its data would be restored ones, and others not.
 * @throws InputError
 */
export const requireWhole = (dataDir: string): void => {
  const interrupted = interruptedIn(dataDir);
  if (interrupted)
    throw new InputError(
      `The restore of ${interrupted.folder} into ${dataDir} was interrupted: run it again (npm run --silent staffing -- restore ${interrupted.folder}), and it goes on where it was`,
    );
};
