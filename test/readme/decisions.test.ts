import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const path = 'docs/decisions.md';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const textual = new Set(['.ts', '.tsp', '.sql', '.md', '.cjs', '.mjs', '.json', '.yaml', '.yml', '.conf', '.service']);

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && textual.has(extname(entry.name)))
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1));

const texts = [
  ...['src', 'spec', 'scripts', 'docs', 'test'].flatMap(filesBelow),
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'].filter(file => existsSync(join(root, file))),
].map(file => ({ file, text: read(file) }));

const decisions = read(path);
const headings = new Set([...decisions.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading));
const entries = decisions.split(/^- (?=\*\*)/m).slice(1);

/** The headings that a text cites, each as `docs/decisions.md, "Heading"`; comments may break the line in between. */
const citedIn = (text: string): readonly string[] =>
  [...text.matchAll(/docs\/decisions\.md,[\s*/-]+"([^"]+)"/g)].map(([, heading = '']) =>
    heading.replaceAll(/\s*\n[\s*/-]+/g, ' '),
  );

describe('the decisions', () => {
  it('have a reason and a test each', () => {
    assert.ok(entries.length > 100);
    const form = /^\*\*[^*\n]+\.\*\* [\s\S]+?\n {2}\*Why:\* .+\. \*Shown by:\* `test\/.+\.\n/;
    for (const entry of entries) assert.match(entry, form);
  });

  it('name tests that exist, by their names', () => {
    for (const entry of entries) {
      const [, shown = ''] = entry.split('*Shown by:*');
      const tests = [...shown.matchAll(/`(test\/[\w./-]+\.test\.ts)`(?: \("([^"]+)"\))?/g)];
      assert.ok(tests.length > 0, entry);
      for (const [, file = '', name] of tests) {
        assert.ok(existsSync(join(root, file)), `${file} does not exist: ${entry}`);
        if (name) assert.ok(read(file).includes(name), `${file} has no "${name}": ${entry}`);
      }
    }
  });

  it('have a list of their headings', () => {
    const listed = [...decisions.matchAll(/\[([^\]]+)\]\(#([\w-]+)\)/g)];
    assert.deepEqual(new Set(listed.map(([, heading]) => heading)), headings);
    for (const [, heading = '', anchor] of listed)
      assert.equal(
        anchor,
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
  });

  it('are cited by headings that exist', () => {
    const citing = texts.filter(({ file }) => !file.startsWith('test/'));
    const cited = citing.flatMap(({ file, text }) => citedIn(text).map(heading => ({ file, heading })));
    assert.ok(cited.length > 20);
    for (const { file, heading } of cited) assert.ok(headings.has(heading), `${file} cites "${heading}"`);
    for (const { file, text } of citing)
      assert.equal(citedIn(text).length, text.split('docs/decisions.md,').length - 1, `${file} cites no heading`);
  });
});

describe('the repository', () => {
  it('cites no source that it does not contain', () => {
    // Spelled in two parts: this file is searched as well.
    const absent = new RegExp(`${'cont'}ract, section|${'spec'}ification, "`, 'i');
    for (const { file, text } of texts) assert.doesNotMatch(text, absent, file);
  });
});
