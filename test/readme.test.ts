import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { architecturePicture } from '../scripts/architecture.ts';
import { configurationPage } from '../scripts/config-table.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the documents', () => {
  it('has a page of the variables that the configuration knows', () => {
    assert.equal(read('docs/configuration.md'), configurationPage(), 'npm run config-table writes it');
  });

  it('has a picture of the stages that its table and the pipeline name', () => {
    const picture = architecturePicture(read('docs/architecture.md'), read('src/http/pipeline.ts'));
    assert.equal(read('docs/images/architecture.svg'), picture, 'npm run picture draws it');
    assert.throws(
      () =>
        architecturePicture(
          read('docs/architecture.md'),
          read('src/http/pipeline.ts').replaceAll('requireScope', 'requireX'),
        ),
      /requireX, requireScope/,
    );
  });

  it('prints no request of the API whose response curl would show compressed', () => {
    const texts = ['README.md', 'spec/guide.md', 'scripts/client/README.md', ...globSync('docs/*.md')].map(read);
    const blocks = texts.join('\n').match(/^ *```sh\n[\s\S]*?```$/gm) ?? [];
    const commands = blocks.join('\n').match(/\bcurl (?:.*\\\n)*.*/g) ?? [];
    const isInternal = (command: string) => /localhost:9443|127\.0\.0\.1:9443|ADMIN/.test(command);
    const ofApi = commands.filter(command => !isInternal(command));
    assert.ok(ofApi.length >= 4);
    for (const command of ofApi) assert.match(command, /--compressed/);
  });

  it('names files that there are in each row of the architecture', () => {
    const rows =
      /\n## The way of a request\n([\s\S]*?)\n## /.exec(read('docs/architecture.md'))?.[1]?.match(/^\|.*$/gm) ?? [];
    // After the first file of a list, the others are named without their folder.
    let folder = '';
    let count = 0;
    for (const [, path = ''] of rows.join('\n').matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g)) {
      const isWhole = /^(?:src|test)\//.test(path);
      if (isWhole) folder = dirname(path);
      const file = isWhole ? path : join(folder, path);
      assert.doesNotThrow(() => read(file), file);
      count += 1;
    }
    assert.ok(count > 20);
  });
});
