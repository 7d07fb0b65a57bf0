import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { chosenDatabases, inWords } from '../support/databases.ts';

const root = new URL('..', import.meta.url);

/** The number of parts. The test runner has two of them run at a time, and begins another when one ends. */
export const parts = 4;

/** Returns the files of a part, counted from 1, below `test/`. TEST_FILES names others than all files. */
export const filesOf = (part: number): string[] =>
  globSync(process.env.TEST_FILES ?? '**/*.test.ts', { cwd: root })
    .sort()
    .filter((_, index) => index % parts === part - 1);

/**
 * Declares the tests of one part of the files, by the number in the name of the script, so that processes share the work and what is
 * costly to make (databases, the document) is made once in each.
 */
export const declarePart = async (script: string): Promise<void> => {
  const part = Number(/\d+/.exec(basename(script)));
  const declared = Promise.withResolvers<void>();
  // Tests run one after the other: none is run, and the run is not over, before the last one is declared.
  test(`part ${part} of the files loads`, context => {
    if (part === 1) context.diagnostic(inWords(chosenDatabases));
    return declared.promise;
  });
  for (const file of filesOf(part)) await import(new URL(file, root).href);
  declared.resolve();
};
