import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { breakGuard, listMutations } from '../../../scripts/mutate/mutation.ts';

const root = join(import.meta.dirname, '../../..');

describe('the guards that npm run mutate breaks', async () => {
  const mutations = await listMutations(root);

  it('stand where they are said to stand, once', () => {
    for (const mutation of mutations) {
      const text = readFileSync(join(root, mutation.file), 'utf8');
      assert.notEqual(breakGuard(mutation, text), text, mutation.id);
    }
  });

  it('have tests that exist, and a sentence of their own', () => {
    const missing = mutations.flatMap(({ tests }) => tests).filter(file => !existsSync(join(root, file)));
    assert.deepEqual(missing, []);
    assert.ok(mutations.every(({ tests }) => tests.length > 0));
    assert.equal(new Set(mutations.map(({ guarantee }) => guarantee)).size, mutations.length);
  });
});
