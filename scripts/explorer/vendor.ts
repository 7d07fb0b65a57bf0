import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Where the explorer's scripts are, without the 200 packages that they were built from. */
const target = new URL('../../vendor/scalar/', import.meta.url).pathname;

/**
 * Copies the browser bundle of a version of @scalar/api-reference to `vendor/scalar`: the entry and each chunk that it can load, except
 * the assistant's, which sends what it is asked to a service.
 */
const vendor = (version: string): void => {
  const folder = mkdtempSync(join(tmpdir(), 'scalar-'));
  try {
    const pack = `@scalar/api-reference@${version}`;
    const [{ filename, integrity }] = JSON.parse(
      execFileSync('npm', ['pack', pack, '--json', '--silent'], { cwd: folder, encoding: 'utf8' }),
    );
    execFileSync('tar', ['xzf', filename], { cwd: folder });
    const { license } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(join(target, 'chunks'), { recursive: true });
    const files = reachable(join(folder, 'package/dist/browser'), 'standalone.esm.js');
    for (const file of files) cpSync(join(folder, 'package/dist/browser', file), join(target, file));
    const hashes = Object.fromEntries(files.map(file => [file, hashOf(readFileSync(join(target, file)))]));
    const origin = { package: '@scalar/api-reference', version, license, integrity, files: hashes };
    writeFileSync(join(target, 'origin.json'), `${JSON.stringify(origin, null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const left = /Agent/;

/** Returns the names of a module and of all modules that it can import, sorted. */
const reachable = (folder: string, entry: string): string[] => {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || left.test(file)) return;
    found.add(file);
    for (const [, name = ''] of readFileSync(join(folder, file), 'utf8').matchAll(
      /[`"']\.\/(?:chunks\/)?([\w.-]+\.js)[`"']/g,
    ))
      visit(`chunks/${basename(name)}`);
  };
  visit(entry);
  return [...found].sort();
};

/** Returns the SHA-256 of a file's content in hexadecimal. */
export const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

if (import.meta.main) {
  const [version] = process.argv.slice(2);
  if (!version) throw new Error('Name the version: npm run explorer:vendor -- <version>');
  vendor(version);
}
