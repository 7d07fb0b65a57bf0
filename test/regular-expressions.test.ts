import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { check } from 'recheck';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Where an expression stands, and what it is. */
interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** The regular expressions of a file, and the places that make them of something else. */
const expressionsIn = (
  file: string,
): { readonly literals: readonly Expression[]; readonly made: readonly string[] } => {
  const literals: Expression[] = [];
  const made: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      literals.push({ place: file, source, flags });
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') made.push(file);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return { literals, made };
};

/** The patterns of the document, which bodies are compared with. */
const patternsOf = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'pattern' && typeof member === 'string' ? [member] : patternsOf(member),
  );
};

/** Files whose expressions meet short texts only: the code of validators at the start; host names of at most 260 characters. */
const bounded: ReadonlySet<string> = new Set(['src/core/validator.ts', 'src/tenancy/names.ts']);
/** The files that make expressions of constants, or of the names and patterns of fields. */
const making = [
  'src/core/lines.ts',
  'src/db/schema/definitions.ts',
  'src/engine/value.ts',
  'src/http/response/xml-text.ts',
  'src/resources/import-results/shown-errors.ts',
  'src/tenancy/names.ts',
];

const found = globSync('src/**/*.ts', { cwd: root }).sort().map(expressionsIn);
const documented = [...new Set(patternsOf(JSON.parse(read('generated/openapi.json'))))].map(source => ({
  place: 'generated/openapi.json',
  source,
  flags: 'u',
}));
const all = [...found.flatMap(({ literals }) => literals), ...documented];
const different = [
  ...new Map(
    all.filter(({ place }) => !bounded.has(place)).map(each => [`${each.source}/${each.flags}`, each]),
  ).values(),
];

describe('the regular expressions of the service', () => {
  it('take a time that grows no faster than the text', async () => {
    assert.ok(different.length > 100);
    const unsafe: string[] = [];
    const queue = different.values();
    const work = async (): Promise<void> => {
      for (const { place, source, flags } of queue) {
        const verdict = await check(source, flags, { timeout: 60_000 });
        if (verdict.status === 'safe') continue;
        const why = verdict.status === 'vulnerable' ? verdict.complexity.summary : verdict.status;
        unsafe.push(`${place} /${source}/${flags}: ${why}`);
      }
    };
    await Promise.all([work(), work()]);
    assert.deepEqual(unsafe, []);
  });

  it('are made of no text of a request', () => {
    assert.deepEqual([...new Set(found.flatMap(({ made }) => made))], making);
  });
});
