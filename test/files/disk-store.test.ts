import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { it, mock } from 'node:test';
import { diskStore } from '../../src/files/disk-store.ts';
import { createFiles } from '../../src/files/files.ts';

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

it('contents of two tenants are received at once under the same path, as when two sandboxes are filled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-store-'));
  try {
    const files = await createFiles({ folder, limit: 1000, s3: null });
    const receive = (tenant: number) =>
      files.receive(tenant, Readable.from([Buffer.from(`${tenant}`)]), null, 'sample');
    await Promise.all([7, 8].map(receive));
    for (const tenant of [7, 8])
      assert.equal(await text(await files.open(tenant, { path: 'sample', size: 1 })), `${tenant}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
