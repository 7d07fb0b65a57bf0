import type { SqlFile } from './files.ts';

interface DatabaseObject {
  readonly kind: 'view' | 'function';
  readonly name: string;
}

/** Returns the views and functions that a file creates, in order. */
const objectsOf = ({ text }: SqlFile): DatabaseObject[] =>
  [...text.matchAll(/^create (view|function) (\w+)/gm)].map(
    ([, kind, name]) => ({ kind, name }) as unknown as DatabaseObject,
  );

/** Returns the statements that drop the views and functions of a file. */
export const removalOf = (file: SqlFile): string =>
  objectsOf(file)
    .reverse()
    .map(({ kind, name }) => `drop ${kind} if exists ${name};`)
    .join('\n');

/**
 * Returns the files in an order in which they can be applied.
 * Each after the files whose views and functions it uses.
 * @throws Error if files use each other.
 */
export const inOrder = (files: readonly SqlFile[]): readonly SqlFile[] => {
  const ordered = new Set<SqlFile>();
  const add = (file: SqlFile, users: readonly SqlFile[]): void => {
    if (ordered.has(file)) return;
    if (users.includes(file))
      throw new Error(`These definitions use each other: ${users.map(({ name }) => name).join(', ')}.`);
    for (const other of files) if (other !== file && uses(file, other)) add(other, [...users, file]);
    ordered.add(file);
  };
  for (const file of files) add(file, []);
  return [...ordered];
};

const uses = (file: SqlFile, other: SqlFile): boolean => {
  const code = file.text.replaceAll(/--.*$/gm, '');
  return objectsOf(other).some(({ kind, name }) =>
    new RegExp(kind === 'function' ? `\\b${name}\\(` : `\\b${name}\\b`).test(code),
  );
};
