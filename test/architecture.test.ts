import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
/** The folders of src/ by rank: each may import from lower ranks and from itself. */
const ranks = [
  ['core'],
  ['db'],
  ['query', 'tenancy'],
  ['attributes', 'files'],
  ['engine'],
  ['http', 'domain'],
  ['resources', 'automations', 'demo'],
  ['server'],
  ['main.ts', 'cli'],
];

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const found = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();
const sources = found('src/**/*.ts');
/** The files, or packages, that a file imports from, types included. */
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from |import\(?)'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? join(dirname(file), target) : target,
  );
const folderOf = (file: string): string => file.split('/')[1] ?? '';
const rankOf = (file: string): number => ranks.findIndex(folders => folders.includes(folderOf(file)));

/** A path of imports that ends where it begins; null: there is none. */
const findCircle = (files: readonly string[]): string[] | null => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of importsOf(file).filter(target => /^(src|generated)\/.*\.ts$/.test(target))) {
      const circle = visit(next, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  return files.reduce<string[] | null>((circle, file) => circle ?? visit(file, []), null);
};

describe('the source', () => {
  it('has every folder in its rank, and imports only from lower ranks or the same folder', () => {
    assert.deepEqual(
      sources.filter(file => rankOf(file) < 0),
      [],
    );
    const wrong = sources.flatMap(file =>
      importsOf(file)
        .filter(target => target.startsWith('src/') && folderOf(target) !== folderOf(file))
        .filter(target => rankOf(target) >= rankOf(file))
        .map(target => `${file} → ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('has no circle of imports, types and generated files counted', () => assert.equal(findCircle(sources), null));

  it('is given rules and actions by server/api.ts', () => {
    const generated = ['generated/actions.ts', 'generated/rules.ts'];
    const importing = sources.filter(file => importsOf(file).some(target => generated.includes(target)));
    assert.deepEqual(importing, ['src/server/api.ts']);
  });
});
