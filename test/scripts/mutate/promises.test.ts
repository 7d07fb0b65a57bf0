import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listMutations } from '../../../scripts/mutate/mutation.ts';

const root = join(import.meta.dirname, '../../..');

/** The commands that show no promise of the code: the guards themselves, and what is installed. */
const others = /^npm (run mutate|audit|sbom)\b/;
/** The tests of commands that are programs of their own. */
const programs: Readonly<Record<string, string>> = { 'npm run faults': 'test/scripts/faults/*.test.ts' };

/** Returns the test files by which a command shows a promise. */
const filesOf = (command: string): readonly string[] => {
  const [, pattern] = /^TEST_FILES='(.+)' npm test$/.exec(command) ?? [];
  return globSync(pattern ? `test/${pattern}` : (programs[command] ?? []), { cwd: root });
};

describe('what SECURITY.md promises', async () => {
  const [, table = ''] = /## What is promised(.*?)\n## /s.exec(readFileSync(join(root, 'SECURITY.md'), 'utf8')) ?? [];
  const rows = [...table.matchAll(/^\| (.+) \| `(.+)` \|$/gm)].map(([, promise = '', command = '']) => ({
    promise,
    command,
  }));
  const guarded = new Set((await listMutations(root)).flatMap(({ tests }) => tests));

  it('is shown by tests that there are', () => {
    assert.ok(rows.length > 15);
    const without = rows.filter(({ command }) => !others.test(command) && filesOf(command).length === 0);
    assert.deepEqual(without, []);
  });

  it('has a guard that npm run mutate breaks', () => {
    const shown = rows.filter(({ command }) => !others.test(command));
    const without = shown.filter(({ command }) => !filesOf(command).some(file => guarded.has(file)));
    assert.deepEqual(without, []);
  });
});
