import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Returns the lines of a script that are neither empty nor comments. */
const linesOf = (path: string): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));

test('npm run check and .ci/run run one script, which ends with the tests; CI has all of them on both databases', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  assert.equal(scripts.check, 'scripts/check.sh');
  assert.deepEqual(linesOf('.ci/run').slice(-2), ['export TEST_DATABASES=both', 'exec scripts/check.sh']);
  assert.equal(linesOf('scripts/check.sh').at(-1), 'npm test');
});

test('it has faults happen, and breaks ten guards that the commit chooses', () => {
  const lines = linesOf('scripts/check.sh');
  assert.ok(lines.includes('npm run --silent faults -- --short'));
  const seed = '"0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)"';
  assert.ok(lines.includes(`npm run --silent mutate -- --sample 10 --seed ${seed} --minutes 3 --trust`));
});

test('each of its commands fails it', () => {
  const [first, ...lines] = linesOf('scripts/check.sh');
  assert.equal(first, 'set -euo pipefail');
  assert.deepEqual(
    lines.filter(line => /\|\| (true|:)|set \+|[;&]$/.test(line)),
    [],
  );
});
