import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Passage } from './passage.ts';
import { readSource } from './source.ts';

const root = join(import.meta.dirname, '../..');
const files = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: path => /^(node_modules|dist|data|\.tmp)$/.test(path) }).sort();

/** Returns the public texts of the project and the first lines of its docstrings. */
export const collectPassages = (): Passage[] => [
  ...files('[!C]*.md', '{docs,scripts,spec,test}/**/*.md').map(
    (file): Passage => ({ kind: 'document', file, place: 1, text: read(file) }),
  ),
  ...files('generated/*.json').flatMap(file => readDocument(file, JSON.parse(read(file)))),
  ...files('src/**/*.ts', 'generated/errors.ts').flatMap(file => readSource(file, read(file))),
  ...files('{scripts,spec}/**/*.ts').flatMap(file =>
    readSource(file, read(file)).filter(({ kind }) => kind === 'docstring'),
  ),
];

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Returns the summaries and descriptions of an OpenAPI document, but not that of the whole: the guide. */
export const readDocument = (file: string, document: unknown, path = ''): Passage[] => {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => {
    const place = `${path}/${key}`;
    const isText = typeof value === 'string' && /^(summary|description)$/.test(key) && place !== '/info/description';
    return isText ? { kind: 'document', file, place, text: value } : readDocument(file, value, place);
  });
};
