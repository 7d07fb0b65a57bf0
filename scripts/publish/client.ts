import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');
const sources = join(root, 'scripts/client');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const compilerOptions: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  types: [],
};

/**
 * Builds the client package in a folder.
 * It has JavaScript, type declarations, and package.json with the version of the API.
 * @throws Error if it does not compile
 */
const build = (folder: string): void => {
  const temporary = mkdtempSync(join(tmpdir(), 'client-sources-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(temporary, 'node_modules'));
    const copy = (name: string, text: string) =>
      writeFileSync(join(temporary, name), text.replaceAll('../../generated/client.ts', './api.ts'));
    copy('api.ts', read('generated/client.ts'));
    for (const file of globSync(join(sources, '*.ts'))) copy(basename(file), readFileSync(file, 'utf8'));
    writeFileSync(join(temporary, 'package.json'), '{ "type": "module" }');
    const outDir = join(folder, 'dist');
    const program = ts.createProgram([join(temporary, 'index.ts')], { ...compilerOptions, rootDir: temporary, outDir });
    const { diagnostics } = program.emit();
    const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
    if (problems.length > 0) {
      const host = {
        getCurrentDirectory: () => root,
        getCanonicalFileName: (name: string) => name,
        getNewLine: () => '\n',
      };
      throw new Error(ts.formatDiagnostics(problems, host));
    }
  } finally {
    rmSync(temporary, { recursive: true });
  }
  const { version } = JSON.parse(read('generated/openapi.json')).info;
  const { devDependencies } = JSON.parse(read('package.json'));
  const dependencies = { 'openapi-fetch': devDependencies['openapi-fetch'] };
  const { name, ...description } = JSON.parse(read('scripts/client/package.json'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, ...description, dependencies }, null, 2));
  copyFileSync(join(sources, 'README.md'), join(folder, 'README.md'));
};

/**
 * Packs the client package into a folder and returns the path of the archive.
 * @throws Error if it does not compile
 */
export const packClient = (outDir: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  try {
    build(folder);
    mkdirSync(outDir, { recursive: true });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    return join(outDir, execFileSync('npm', ['pack', '--silent', '--pack-destination', outDir], options).trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** `npm run publish:client -- [folder]` */
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(relative('', packClient(resolve(process.argv[2] ?? 'dist'))));
