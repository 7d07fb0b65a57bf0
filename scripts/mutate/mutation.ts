import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A guard of the code, and how to break it: a test has to fail then. */
export interface Mutation {
  /** What the guard guarantees, in one line. */
  readonly guarantee: string;
  /** The file with the guard, from the root of the repository. */
  readonly file: string;
  /** A text that stands in the file exactly once. */
  readonly find: string;
  /** What replaces it. */
  readonly replace: string;
  /** The test files of which one has to fail. */
  readonly tests: readonly string[];
  /** A pattern of the names of the tests that are run; otherwise all tests of the files are. */
  readonly names?: string;
  /**
   * The database on which the tests are run, where they are declared for each.
   * Otherwise the embedded one.
   */
  readonly database?: 'postgres';
}

/** A mutation and where it is listed. */
export interface ListedMutation extends Mutation {
  /** The area, which is the name of the file in test/mutations, and its place there, from 1: `pay 3`. */
  readonly id: string;
}

/** Returns the mutations of all files in test/mutations, by area. */
export const listMutations = async (root: string): Promise<readonly ListedMutation[]> => {
  const files = globSync('test/mutations/*.ts', { cwd: root }).sort();
  const areas = await Promise.all(
    files.map(async file => {
      const { default: mutations } = (await import(join(root, file))) as { default: readonly Mutation[] };
      return mutations.map((mutation, index) => ({ ...mutation, id: `${basename(file, '.ts')} ${index + 1}` }));
    }),
  );
  return areas.flat();
};

/**
 * Returns the text with the guard broken.
 * @throws Error if the text to replace does not stand there exactly once
 */
export const breakGuard = (
  { id, file, find, replace }: Pick<ListedMutation, 'id' | 'file' | 'find' | 'replace'>,
  text: string,
): string => {
  const [before = '', after, ...more] = text.split(find);
  if (after === undefined || more.length > 0)
    throw new Error(
      `${id}: ${file} has ${more.length ? `${more.length + 1} places` : 'no place'} with ${JSON.stringify(find)}`,
    );
  return before + replace + after;
};
