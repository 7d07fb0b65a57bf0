import { globSync } from 'node:fs';
import { test } from 'node:test';
import { chosenDatabases, inWords } from '../support/databases.ts';

const root = new URL('..', import.meta.url);

/**
 * Declares the tests of every second file, so that two processes share the work and what is costly to make (databases, the
 * document) is made once in each. TEST_FILES names others than all files, below `test/`.
 */
export const declareHalf = async (index: 0 | 1): Promise<void> => {
  const declared = Promise.withResolvers<void>();
  // Tests run one after the other: none is run, and the run is not over, before the last one is declared.
  test(`half ${index + 1} of the files loads`, context => {
    if (index === 0) context.diagnostic(inWords(chosenDatabases));
    return declared.promise;
  });
  const files = globSync(process.env.TEST_FILES ?? '**/*.test.ts', { cwd: root }).sort();
  for (const [position, file] of files.entries()) if (position % 2 === index) await import(new URL(file, root).href);
  declared.resolve();
};
