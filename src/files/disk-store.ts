import { open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../core/disk/folders.ts';
import { isCode } from '../core/disk/secret-file.ts';
import type { Store } from './store.ts';

/** A store of files under a folder, which must be on the same file system as the temporary folder. */
export const diskStore = (folder: string): Store => {
  /** The folders of tenants that are known to survive a crash. */
  const lasting = new Set<string>();
  return {
    async put(key, file) {
      const path = join(folder, key);
      const own = dirname(path);
      makeFolder(own, 0o700);
      await rename(file, path);
      await flushFolder(own);
      if (lasting.has(own)) return;
      for (const above of [folder, dirname(folder)]) await flushFolder(above);
      lasting.add(own);
    },
    async read(key, range) {
      const handle = await open(join(folder, key), 'r').catch(nullIfAbsent);
      return handle?.createReadStream({ ...range, highWaterMark: 262_144 }) ?? null;
    },
    async delete(key) {
      await rm(join(folder, key), { force: true });
    },
    async *list(tenantId) {
      const own = join(folder, String(tenantId));
      try {
        for await (const entry of await opendir(own)) {
          const found = entry.isFile() ? await stat(join(own, entry.name)).catch(nullIfAbsent) : null;
          if (found) yield { key: `${tenantId}/${entry.name}`, modified: found.mtime };
        }
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error;
      }
    },
  };
};

/** Flushes a folder: a file or folder in it that is new survives a crash only after that. */
const flushFolder = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const nullIfAbsent = (error: unknown): null => {
  if (isCode(error, 'ENOENT')) return null;
  throw error;
};
