/** The keyword of schemas whose value is `Lines`. */
export const linesKeyword = 'x-lines';

/** How many lines a string can have: with `many`, it can contain line feeds and tabs. */
export type Lines = 'one' | 'many';

/** Characters that change the direction of the text after them, and noncharacters. */
const others = '\\u202A-\\u202E\\u2066-\\u2069\\uFDD0-\\uFDEF\\uFFFE\\uFFFF';

/** These and control characters, as a character class. */
const forbidden: Readonly<Record<Lines, string>> = {
  one: `\\u0000-\\u001F\\u007F-\\u009F${others}`,
  many: `\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F${others}`,
};

/** The regular expressions of strings without forbidden characters, as the document has them. */
export const patterns: Readonly<Record<Lines, string>> = {
  one: `^[^${forbidden.one}]*$`,
  many: `^[^${forbidden.many}]*$`,
};

const tests = { one: new RegExp(`[${forbidden.one}]`), many: new RegExp(`[${forbidden.many}]`) };

/** Whether a string contains neither a forbidden character nor half of a surrogate pair. */
export const isClean = (lines: Lines, text: string): boolean =>
  text.isWellFormed() && !tests[lines].test(text) && !noncharacter.test(text);

/** The last two characters of each plane, and U+FDD0 to U+FDEF. */
const noncharacter = /\p{Noncharacter_Code_Point}/u;

/**
 * Returns the stored form of a string: NFC, on one line without surrounding white space.
 * White space alone becomes an empty string. A string that is not clean stays unchanged. See docs/decisions.md,
 * "Fields in requests".
 */
export const normalise = (lines: Lines, text: string): string => {
  if (!isClean(lines, text)) return text;
  const composed = text.normalize('NFC');
  const trimmed = composed.trim();
  return lines === 'one' || trimmed === '' ? trimmed : composed;
};
