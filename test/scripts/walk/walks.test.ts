import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { draw, replaceWalks } from '../../../scripts/walk/draw.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

describe('the walks of docs/architecture.md', () => {
  it('name files that exist', () => {
    const visits = [...page.matchAll(/^1\. `(\w+)\/` (.+)$/gm)];
    const files = visits.flatMap(([, folder = '', names = '']) =>
      names.split(', ').map(name => join('src', folder, name)),
    );
    assert.deepEqual(
      files.filter(file => !existsSync(join(root, file))),
      [],
      'Run npm run walk -- --write',
    );
    assert.ok(files.length > 100);
  });

  it('have each file where it is first called, and count changes of folder', () => {
    const calls = ['http/a.ts start:1', 'core/b.ts read:2', 'http/a.ts start:1', 'http/c/d.ts end:3', 'db/e.ts f:4'];
    assert.equal(
      draw('Read', '`GET /x`', calls),
      `### Read

\`GET /x\` 4 functions in 4 files; 3 changes of folder, each file counted where it is first called.

1. \`http/\` a.ts
1. \`core/\` b.ts
1. \`http/\` c/d.ts
1. \`db/\` e.ts
`,
    );
  });

  it('are replaced between their marks only', () => {
    const replaced = replaceWalks(page, 'new');
    assert.equal(replaceWalks(replaced, 'new'), replaced);
    assert.ok(replaced.length < page.length);
    assert.throws(() => replaceWalks('', 'new'), /needs the marks/);
  });
});
