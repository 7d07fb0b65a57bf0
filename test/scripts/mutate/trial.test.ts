import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sample } from '../../../scripts/mutate/sample.ts';
import { Trial } from '../../../scripts/mutate/trial.ts';

describe('the trial of a guard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-guarded-'));
  mkdirSync(join(folder, 'scripts/mutate'), { recursive: true });
  cpSync('scripts/mutate/reporter.ts', join(folder, 'scripts/mutate/reporter.ts'));
  writeFileSync(join(folder, 'guard.mjs'), 'export const allows = age => age >= 18;\n');
  writeFileSync(
    join(folder, 'guard.test.mjs'),
    `import assert from 'node:assert';
    import { test } from 'node:test';
    import { allows } from './guard.mjs';
    test('children are rejected', () => assert.ok(!allows(17)));
    test('grown-ups are not', () => assert.ok(allows(18)));
    test('this one fails', () => assert.fail());`,
  );
  spawnSync('git', ['init', '-q'], { cwd: folder });
  after(() => rmSync(folder, { recursive: true }));

  const guard = { id: 'guard 1', guarantee: 'Children are rejected.', file: 'guard.mjs', tests: ['guard.test.mjs'] };
  const broken = { ...guard, find: 'age >= 18', replace: 'age >= 0' };

  const verdictOf = async (mutation: typeof broken & { names: string }, trusts = false) => {
    const trial = new Trial(folder, 60_000, trusts);
    try {
      return await trial.run(mutation);
    } finally {
      trial.close();
    }
  };

  it('tells one that a test catches from one that survives', async () => {
    assert.deepEqual(await verdictOf({ ...broken, names: 'children' }), {
      state: 'caught',
      by: 'children are rejected',
    });
    assert.deepEqual(await verdictOf({ ...broken, names: 'grown-ups' }), { state: 'survived', by: null });
  });

  it('is invalid if a test fails without it, unless the tests are trusted', async () => {
    const mutation = { ...broken, names: 'fails' };
    assert.deepEqual(await verdictOf(mutation), { state: 'invalid', by: 'this one fails' });
    assert.equal((await verdictOf(mutation, true)).state, 'caught');
  });
});

describe('a sample of guards', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);

  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(sample(all, 10, 0xa1b2c3d), sample(all, 10, 0xa1b2c3d));
    assert.notDeepEqual(sample(all, 10, 1), sample(all, 10, 2));
    assert.equal(new Set(sample(all, 10, 1)).size, 10);
  });
});
