import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
/** The folders and files of src/ and scripts/ by rank: each may import from lower ranks and from itself. */
const ranks: Readonly<Record<string, readonly (readonly string[])[]>> = {
  src: [
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
  ],
  scripts: [
    ['bin', 'client'],
    ['generate'],
    ['bench', 'contract', 'explorer', 'mutate', 'prose', 'publish', 'times', 'walk', 'witness'],
    ['faults', 'simulate'],
    ['architecture.ts', 'clients.ts', 'config-table.ts', 'generate.ts'],
  ],
  'scripts/generate': [['spec'], ['document', 'checks'], ['output']],
};

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
/** The folder, or file, of `root` that a file is in. */
const folderOf = (file: string, root = 'src'): string => file.slice(root.length + 1).split('/')[0] ?? '';
const rankOf = (file: string, root = 'src'): number =>
  ranks[root]?.findIndex(folders => folders.includes(folderOf(file, root))) ?? -1;

/** A path of imports that ends where it begins; null: there is none. */
const findCircle = (files: readonly string[]): string[] | null => {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of importsOf(file).filter(target => /^(src|scripts|generated)\/.*\.ts$/.test(target))) {
      const circle = visit(next, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  return files.reduce<string[] | null>((circle, file) => circle ?? visit(file, []), null);
};

describe('the source', () => {
  for (const root of Object.keys(ranks))
    it(`has every folder of ${root} in its rank, and imports only from lower ranks or the same folder`, () => {
      const files = found(`${root}/**/*.ts`);
      assert.deepEqual(
        files.filter(file => rankOf(file, root) < 0),
        [],
      );
      const wrong = files.flatMap(file =>
        importsOf(file)
          .filter(target => target.startsWith(`${root}/`) && folderOf(target, root) !== folderOf(file, root))
          .filter(target => target.endsWith('.ts') && rankOf(target, root) >= rankOf(file, root))
          .map(target => `${file} → ${target}`),
      );
      assert.deepEqual(wrong, []);
    });

  it('has no circle of imports, types and generated files counted', () =>
    assert.equal(findCircle([...sources, ...found('scripts/**/*.ts')]), null));

  it('puts the parts together in one place', () => {
    assert.deepEqual(
      importers(target => target.startsWith('scripts/')),
      [],
    );
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

  it("adds a tenant's clock in one place for code and in one for SQL", () => {
    const adding = sources.filter(file => /[+-] [\w.]*clockAhead/.test(read(file)));
    assert.deepEqual(adding, ['src/core/time.ts']);
    const ahead = found('src/**/*.{ts,sql}').filter(file => read(file).includes('app.clock_ahead'));
    assert.deepEqual(
      ahead.filter(file => !file.startsWith('src/db/migrations/')),
      ['src/db/enter.ts'],
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
    const folders = Map.groupBy([...files, ...found('{src,scripts}/**/*.{sql,cjs,css,html}')], file => dirname(file));
    const crowded = [...folders]
      .filter(([, list]) => list.length > 20)
      .map(([folder, list]) => `${folder}: ${list.length}`);
    assert.deepEqual(
      crowded.filter(line => !/^(spec\/resources|src\/db\/migrations):/.test(line)),
      [],
    );
  });

  it('has the functions that docs/architecture.md names, in the files named', () => {
    const [, index = ''] = /## Where is …\n([\s\S]*?)\n## /.exec(read('docs/architecture.md')) ?? [];
    const rows = [...index.matchAll(/^\| .+ \| `(.+)` \| `(.+)` \|$/gm)];
    assert.ok(rows.length > 12);
    const missing = rows
      .filter(([, file = '', name = '']) => !new RegExp(`(const ${name} =|"${name}")`).test(read(file)))
      .map(([row]) => row);
    assert.deepEqual(missing, []);
  });
});
