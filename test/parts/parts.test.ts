import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import long from './long.json' with { type: 'json' };
import { filesOf, parts, secondsOf } from './part.ts';

const numbers = Array.from({ length: parts }, (_, index) => index + 1);

/** The files of each part of all. */
const divided = (): readonly (readonly string[])[] => {
  const { TEST_FILES } = process.env;
  delete process.env.TEST_FILES;
  const files = numbers.map(filesOf);
  if (TEST_FILES !== undefined) process.env.TEST_FILES = TEST_FILES;
  return files;
};

test('every test file is in one part, and npm test runs the script of every part', () => {
  assert.deepEqual(divided().flat().sort(), globSync('**/*.test.ts', { cwd: 'test' }).sort());

  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const pattern = scripts.test?.split(' ').at(-1)?.replaceAll("'", '') ?? '';
  const run = globSync(pattern).sort();
  assert.deepEqual(
    run,
    numbers.map(number => `test/parts/part-${number}.ts`),
  );
  for (const path of run) assert.match(readFileSync(path, 'utf8'), /^await declarePart\(import\.meta\.filename\);$/m);
});

test('the parts take equally long, by the seconds of the files that take longest, each of which exists', () => {
  const files = divided();
  const known = new Set(files.flat());
  assert.deepEqual(
    Object.keys(long).filter(file => !known.has(file)),
    [],
  );
  const seconds = files.map(part => part.reduce((sum, file) => sum + secondsOf(file), 0));
  assert.ok(Math.max(...seconds) - Math.min(...seconds) < 5, `${seconds}`);
});
