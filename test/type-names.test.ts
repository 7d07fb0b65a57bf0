import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);

/** The names of the types, interfaces and classes that a file declares, also within functions; without type parameters. */
const typesOf = (source: ts.SourceFile): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if ((ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassLike(node)) && node.name)
      names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
};

/** The names that the published client exports: they belong to its users, who see no others. */
const published = (): ReadonlySet<string> => {
  const statements = parse('scripts/client/index.ts').statements;
  const declared = statements.filter(
    node => (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.modifiers,
  ) as (ts.TypeAliasDeclaration | ts.InterfaceDeclaration)[];
  const passedOn = statements.flatMap(node =>
    ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)
      ? node.exportClause.elements.map(({ name }) => name.text)
      : [],
  );
  return new Set([...declared.map(({ name }) => name.text), ...passedOn]);
};

describe('the types of the source', () => {
  it('have names of their own: no name is declared in two files', () => {
    const own = published();
    const places = globSync('{src,scripts}/**/*.ts', { cwd: root })
      .sort()
      .flatMap(file =>
        [...typesOf(parse(file))]
          .filter(name => !(file.startsWith('scripts/client/') && own.has(name)))
          .map(name => ({ name, file })),
      );
    const repeated = [...Map.groupBy(places, ({ name }) => name)]
      .filter(([, list]) => list.length > 1)
      .map(([name, list]) => `${name}: ${list.map(({ file }) => file).join(', ')}`);
    assert.deepEqual(repeated, []);
  });
});
