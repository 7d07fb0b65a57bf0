import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * Builds `dist/server`, or another folder, from which the package of `npm pack` and the image run.
 * It has the sources as JavaScript, since Node.js runs no TypeScript below node_modules, and the files that they read.
 * Types are replaced by blanks: lines stay where they are.
 */
const root = resolve(import.meta.dirname, '../..');
const folder = resolve(process.argv[2] ?? join(root, 'dist/server'));

/** The names of the project's own modules, in imports and in URLs of workers. */
const moduleName = /(?<=['"]\.{1,2}\/[\w./-]+)\.ts(?=['"])/g;

rmSync(folder, { recursive: true, force: true });
for (const name of globSync('{src,generated}/**/*.*', { cwd: root, exclude: ['generated/published/**'] })) {
  const [from, to] = [join(root, name), join(folder, name)];
  mkdirSync(dirname(to), { recursive: true });
  if (!name.endsWith('.ts')) copyFileSync(from, to);
  else if (name !== 'generated/client.ts')
    writeFileSync(
      to.replace(/\.ts$/, '.js'),
      stripTypeScriptTypes(readFileSync(from, 'utf8')).replaceAll(moduleName, '.js'),
    );
}
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`);
