import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { it, mock } from 'node:test';
import { diskStore } from '../../src/files/disk-store.ts';

it('a file on the disk is stored once all folders that are new have been flushed, of the first file of a tenant, too', async () => {
  const root = mkdtempSync(join(tmpdir(), 'disk-store-'));
  const store = diskStore(join(root, 'content'));
  const flushed: string[] = [];
  const { open } = promises;
  const watched = mock.method(promises, 'open', async (path: string, ...more: []) => {
    const handle = await open(path, ...more);
    mock.method(handle, 'sync', async () => void flushed.push(relative(root, path) || '.'));
    return handle;
  });
  syncBuiltinESMExports();
  try {
    for (const [key, folders] of [
      ['7/a', ['content/7', 'content', '.']],
      ['7/b', ['content/7']],
      ['8/a', ['content/8', 'content', '.']],
    ] as const) {
      writeFileSync(join(root, 'temporary'), key);
      await store.put(key, join(root, 'temporary'));
      assert.deepEqual(flushed.splice(0), folders);
    }
  } finally {
    watched.mock.restore();
    syncBuiltinESMExports();
    rmSync(root, { recursive: true });
  }
});
