import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

const read = (file: string): string => readFileSync(resolve(root, file), 'utf8');

const table = read('SECURITY.md').match(/^\| Promise \| Command \|\n[\s\S]*?\n\n/m)?.[0] ?? '';
const promises = [...table.matchAll(/^\| (?!Promise|-)(.+?) \| `(.+?)` \|$/gm)].map(
  ([, promise = '', command = '']) => ({
    promise,
    command,
  }),
);

describe('The table of promises in SECURITY.md', () => {
  it('has a command for each promise', () => {
    assert.equal(promises.length, table.trim().split('\n').length - 2);
    assert.ok(promises.length > 10);
  });

  for (const { promise, command } of promises) {
    it(`names tests or a script that there are: ${promise}`, () => {
      const files = /^TEST_FILES='(.+)' npm test$/.exec(command)?.[1];
      if (files !== undefined) return assert.ok(globSync(files, { cwd: resolve(root, 'test') }).length > 0, files);
      const script = /^npm run (\S+)$/.exec(command)?.[1];
      if (script !== undefined) return assert.ok(script in JSON.parse(read('package.json')).scripts, script);
      assert.match(command, /^npm (?:audit|sbom) /);
    });
  }
});
