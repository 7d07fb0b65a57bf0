import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { chosenDatabases, inWords } from '../support/databases.ts';
import long from './long.json' with { type: 'json' };
import { endAtStandstill } from './standstill.ts';

const root = new URL('..', import.meta.url);

/** The number of parts. The test runner has three of them run at a time, and begins another when one ends. */
export const parts = 6;

const measured: Readonly<Record<string, number>> = long;

/** Seconds that a file takes in a run of all tests, on both databases. */
export const secondsOf = (file: string): number => measured[file] ?? 2;

/**
 * Returns the files of a part, counted from 1, below `test/`. TEST_FILES names others than all files.
 * The files that take longest are divided first, each to the part that has least, so that all parts take as long.
 */
export const filesOf = (part: number): string[] => {
  const divided = Array.from({ length: parts }, () => ({ files: [] as string[], seconds: 0 }));
  const files = globSync(process.env.TEST_FILES ?? '**/*.test.ts', { cwd: root }).sort();
  for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a))) {
    const shortest = divided.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    shortest.files.push(file);
    shortest.seconds += secondsOf(file);
  }
  return divided[part - 1]?.files.sort() ?? [];
};

/** Seconds that a test may take, as the test runner was told. */
const testTimeout = (): number =>
  Math.ceil(Number(/--test-timeout=(\d+)/.exec(process.execArgv.join(' '))?.[1] ?? Number.POSITIVE_INFINITY) / 1000);

/** Seconds beyond that after which an event loop is taken to stand still. */
const GRACE = 5;

/**
 * Declares the tests of one part of the files, by the number in the name of the script, so that processes share the work and what is
 * costly to make (databases, the document) is made once in each.
 */
export const declarePart = async (script: string): Promise<void> => {
  const part = Number(/\d+/.exec(basename(script)));
  endAtStandstill(testTimeout() + GRACE);
  const declared = Promise.withResolvers<void>();
  // Tests run one after the other: none is run, and the run is not over, before the last one is declared.
  test(`part ${part} of the files loads`, context => {
    if (part === 1) context.diagnostic(inWords(chosenDatabases));
    return declared.promise;
  });
  for (const file of filesOf(part)) await import(new URL(file, root).href);
  declared.resolve();
};
