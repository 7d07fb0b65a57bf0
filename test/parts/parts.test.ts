import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { filesOf, parts } from './part.ts';

const numbers = Array.from({ length: parts }, (_, index) => index + 1);

test('every test file is in one part, and npm test runs the script of every part', () => {
  const { TEST_FILES } = process.env;
  delete process.env.TEST_FILES;
  const files = numbers.flatMap(filesOf);
  if (TEST_FILES !== undefined) process.env.TEST_FILES = TEST_FILES;
  assert.deepEqual(files.toSorted(), globSync('**/*.test.ts', { cwd: 'test' }).sort());

  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const pattern = scripts.test?.split(' ').at(-1)?.replaceAll("'", '') ?? '';
  const run = globSync(pattern).sort();
  assert.deepEqual(
    run,
    numbers.map(number => `test/parts/part-${number}.ts`),
  );
  for (const path of run) assert.match(readFileSync(path, 'utf8'), /^await declarePart\(import\.meta\.filename\);$/m);
});
