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
  ['imports'],
  ['administration'],
  ['server'],
  ['cli'],
  ['main.ts'],
];

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const found = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();
const sources = found('src/**/*.ts');
/** The files, or packages, that a file imports from, types included. */
const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from |import\(?)'([^']+)'/g)].map(([, target = '']) =>
    target.startsWith('.') ? join(dirname(file), target) : target,
  );
const importers = (matches: (target: string) => boolean): string[] =>
  sources.filter(file => importsOf(file).some(matches));
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

  it('puts the parts together in one place', () => {
    assert.deepEqual(
      importers(target => /^generated\/(rules|actions)\.ts$/.test(target)),
      ['src/server/api.ts'],
    );
    assert.deepEqual(
      importers(target => target === 'pg'),
      ['src/db/pool/pool.ts'],
    );
    assert.deepEqual(
      importers(target => target === 'openapi-backend'),
      ['src/http/operation/dispatch.ts', 'src/http/operation/operation.ts'],
    );
    assert.deepEqual(
      importers(target => target === 'kysely').filter(file => folderOf(file) === 'http'),
      [],
    );
  });

  it('names no resource below the domain, but for the attributes', () => {
    const names = found('spec/resources/*.tsp').flatMap(file => [...read(file).matchAll(/@resource\("([^"]+)"/g)]);
    const quoted = new RegExp(`'(${names.map(([, name]) => name).join('|')})'`);
    const below = sources.filter(file => rankOf(file) < 5 && folderOf(file) !== 'attributes');
    assert.deepEqual(
      below.filter(file => quoted.test(read(file).replaceAll(/^import.*$/gm, ''))),
      [],
    );
  });

  it('has at most 250 lines in a file and 20 files in a folder', () => {
    const files = [...sources, ...found('scripts/**/*.ts'), ...found('spec/**/*.{ts,tsp}')];
    assert.deepEqual(
      files.filter(file => read(file).trimEnd().split('\n').length > 250),
      [],
    );
    const folders = Map.groupBy(files, file => dirname(file));
    const crowded = [...folders]
      .filter(([, list]) => list.length > 20)
      .map(([folder, list]) => `${folder}: ${list.length}`);
    assert.deepEqual(
      crowded.filter(line => !/^(spec\/resources|scripts\/generate):/.test(line)),
      [],
    );
  });
});
