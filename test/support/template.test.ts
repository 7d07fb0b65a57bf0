import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { expectedSchema } from '../../src/server/expected-schema.ts';
import { newTenant, openEmbedded } from './database.ts';

describe('an embedded database with the files of a migrated one', () => {
  it('has the whole schema of this release, and none of its tenants', async () => {
    const database = await openEmbedded();
    assert.deepEqual(await database.pendingMigrations(), []);
    assert.deepEqual(await database.differences(expectedSchema), []);
    assert.deepEqual(await database.system.selectFrom('tenants').select('id').execute(), []);
    await database.close();
  });

  it('keeps in its folder what is written, and is not made again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'template-'));
    const first = await openEmbedded(folder);
    const { id } = await newTenant(first);
    await first.close();
    assert.ok(!existsSync(join(folder, 'database.unfinished')));
    const again = await openEmbedded(folder);
    assert.deepEqual(await again.system.selectFrom('tenants').select('id').execute(), [{ id }]);
    await again.close();
    rmSync(folder, { recursive: true });
  });
});
