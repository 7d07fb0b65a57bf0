import { closest, distance } from 'fastest-levenshtein';

/** The hint ` Did you mean x?` if a known name is similar to `name`; otherwise an empty string. */
export const suggestion = (name: string, known: readonly string[]): string => {
  if (name.length > 64 || known.length === 0) return '';
  const near = closest(name, known);
  const edits = distance(name, near);
  // As many edits as characters: they have nothing in common.
  return edits <= Math.max(2, name.length / 3) && edits < name.length ? ` Did you mean ${near}?` : '';
};
