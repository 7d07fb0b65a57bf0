import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { breakGuard, type Mutation } from './mutation.ts';

/**
 * Copies a repository to a temporary folder, which the caller removes, and returns the folder.
 * Copied are the files that Git knows or does not ignore, as they are now.
 */
export const copyRepository = (source: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'staffing-mutate-'));
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: source, encoding: 'utf8' });
  if (listed.status !== 0) throw new Error(`git ls-files has failed: ${listed.stderr}`);
  for (const file of listed.stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(source, file), join(folder, file));
  }
  symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** Breaks a guard in a copy. @returns a function that mends it */
export const breakIn = (folder: string, mutation: Pick<Mutation, 'file' | 'find' | 'replace'> & { id: string }) => {
  const file = join(folder, mutation.file);
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, breakGuard(mutation, whole));
  return (): void => writeFileSync(file, whole);
};
