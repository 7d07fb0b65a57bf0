import { constants, existsSync } from 'node:fs';
import { copyFile, cp, link, mkdir, opendir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies a folder, if it exists. Copies are cheap on file systems that share the blocks of copies. */
export const copyFolder = async (from: string, to: string): Promise<void> => {
  if (existsSync(from)) await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
};

/**
 * Makes a folder with the same files, if the other exists.
 * Hard links where the file system can, which takes little time. The files must not be changed in place.
 */
export const linkFolder = async (from: string, to: string): Promise<void> => {
  if (!existsSync(from)) return;
  await mkdir(to, { mode: 0o700 });
  for await (const entry of await opendir(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await link(source, target).catch(error => replaceLink(error, source, target));
  }
};

/** Copies a file that cannot be linked; one that has just been deleted is left out. */
const replaceLink = async (error: NodeJS.ErrnoException, source: string, target: string): Promise<void> => {
  if (error.code === 'ENOENT') return;
  await copyFile(source, target, constants.COPYFILE_FICLONE);
};

/** Replaces the links of a folder, if it exists, by copies. */
export const separate = async (folder: string): Promise<void> => {
  if (!existsSync(folder)) return;
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await separate(path);
      continue;
    }
    await copyFile(path, `${path}.copy`, constants.COPYFILE_FICLONE);
    await rename(`${path}.copy`, path);
  }
};
