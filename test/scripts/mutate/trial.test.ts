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
  cpSync('scripts/mutate', join(folder, 'scripts/mutate'), { recursive: true });
  cpSync('scripts/bin/node-flags.cjs', join(folder, 'scripts/bin/node-flags.cjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'guard.mjs'), 'export const allows = age => age >= 18;\n');
  writeFileSync(
    join(folder, 'guard.test.mjs'),
    `import assert from 'node:assert';
    import { test } from 'node:test';
    import { allows } from './guard.mjs';
    test('children are rejected', () => assert.ok(!allows(17)));
    test('grown-ups are not', () => assert.ok(allows(18)));
    test('this one fails', () => assert.fail());
    test('this one waits', { skip: allows(17) ? false : 'nothing is broken' }, () => new Promise(() => setInterval(() => {}, 1000)));
    test('this one ends all', { skip: allows(17) ? false : 'nothing is broken' }, () => process.kill(process.pid, 'SIGABRT'));`,
  );
  spawnSync('git', ['init', '-q'], { cwd: folder });
  after(() => rmSync(folder, { recursive: true }));

  const guard = { id: 'guard 1', guarantee: 'Children are rejected.', file: 'guard.mjs', tests: ['guard.test.mjs'] };
  const broken = { ...guard, find: 'age >= 18', replace: 'age >= 0' };

  const verdictOf = async (mutation: typeof broken & { names: string }, trusts = false, timeoutMs = 60_000) => {
    const trial = new Trial(folder, timeoutMs, trusts);
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

  it('hangs if its tests do not end in time and none has failed; tests that a signal ends catch it', async () => {
    assert.equal((await verdictOf({ ...broken, names: 'waits' }, true, 2000)).state, 'hung');
    const both = await verdictOf({ ...broken, names: 'fails|waits' }, true, 5000);
    assert.deepEqual(both, { state: 'caught', by: 'this one fails' });
    assert.deepEqual(await verdictOf({ ...broken, names: 'ends all' }, true), {
      state: 'caught',
      by: 'tests that end with SIGABRT',
    });
  });

  it('is named, and fails the command, if it survives or hangs', () => {
    mkdirSync(join(folder, 'test/mutations'), { recursive: true });
    const run = (seconds: number, ...names: string[]) => {
      const guards = names.map(name => ({ ...broken, names: name, guarantee: `The guard of ${name}.` }));
      writeFileSync(join(folder, 'test/mutations/age.ts'), `export default ${JSON.stringify(guards)};`);
      const command = [join(folder, 'scripts/mutate/main.ts'), '--trust', '--seconds', String(seconds)];
      // Without a compile cache, which would be a file of the folder.
      const env = { PATH: process.env.PATH };
      const { status, stdout } = spawnSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' });
      return { status, last: stdout.trim().split('\n').at(-1) };
    };
    assert.deepEqual(run(60, 'children'), {
      status: 0,
      last: '1 of 1 guards: 1 caught, 0 survived, 0 hung, 0 invalid',
    });
    assert.deepEqual(run(60, 'grown-ups', 'children'), {
      status: 1,
      last: 'survived: age 1: The guard of grown-ups.',
    });
    assert.deepEqual(run(2, 'waits'), { status: 1, last: 'hung: age 1: The guard of waits.' });
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
