import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

for (const tool of ['bench', 'contract', 'faults', 'mutate', 'simulate', 'walk', 'witness'])
  test(`npm run ${tool} explains itself with --help`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${tool}/main.ts`, '--help'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.ok(stdout.startsWith(`npm run ${tool} -- `), stdout);
  });
