import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Generates TypeScript clients of the published document with default settings, and type-checks them.
 * They are generated in a temporary folder and checked with a program that creates a client from its company alone.
 * Downloads the generators; not part of the tests because of their size. Usage: `node scripts/clients.ts [hey-api]
 * [orval]`
 */
const input = resolve(import.meta.dirname, '../generated/openapi.json');

interface Generator {
  readonly packages: readonly string[];
  readonly command: readonly string[];
  /** A program that uses the generated client. */
  readonly use: string;
}

const generators: Readonly<Record<string, Generator>> = {
  'hey-api': {
    packages: ['@hey-api/openapi-ts@0.99.0'],
    command: ['openapi-ts', '-i', input, '-o', 'client'],
    use: `import { clientsCreate } from './client/sdk.gen';\nvoid clientsCreate({ body: { company: 'Nordlicht' } });\n`,
  },
  orval: {
    packages: ['orval@8.22.0', 'axios@1.7.9'],
    command: ['orval', '--input', input, '--output', 'client/client.ts'],
    use: `import * as client from './client/client';\nvoid client.clientsCreate({ company: 'Nordlicht' });\n`,
  },
};

const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'];

const check = (name: string, { packages, command, use }: Generator): void => {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', 'typescript@5.9.3', ...packages);
    run('npx', ...command);
    writeFileSync(join(folder, 'use.ts'), use);
    run('npx', 'tsc', ...options, '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', 'use.ts');
    console.log(`${name}: generated and type-checked`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const wanted = process.argv.slice(2);
for (const [name, generator] of Object.entries(generators))
  if (wanted.length === 0 || wanted.includes(name)) check(name, generator);
