/** One term of a filter expression. Texts are unescaped; whether they fit the field's type is decided in `plan`. */
export type Comparison =
  | { readonly kind: 'null'; readonly not: boolean }
  | { readonly kind: 'equal'; readonly not: boolean; readonly value: string }
  | { readonly kind: 'order'; readonly operator: Order; readonly value: string }
  | {
      readonly kind: 'match';
      readonly not: boolean;
      readonly place: Place;
      /** Case does not matter. */
      readonly fold: boolean;
      readonly value: string;
    };

export type Order = '<' | '<=' | '>' | '>=';
export type Place = 'start' | 'end' | 'anywhere';

/** All conditions on one field: every group holds (AND), a group holds if any of its comparisons does (OR). */
export interface Filter {
  readonly field: string;
  readonly all: readonly (readonly Comparison[])[];
}

/**
 * Parses the value of a filter parameter into its alternatives: `2,<2,>5` has three. Total: every text means something.
 * Specification, "Filters".
 */
export const parseComparisons = (text: string): Comparison[] => split(text).map(parseTerm);

/** The text that `parseComparisons` reads back as the same comparisons. */
export const printComparisons = (comparisons: readonly Comparison[]): string => comparisons.map(print).join(',');

/** Splits at commas that no backslash precedes; the terms keep their escapes. */
const split = (text: string): string[] => {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
};

const parseTerm = (term: string): Comparison => {
  if (term === 'null') return { kind: 'null', not: false };
  if (term === '-null') return { kind: 'null', not: true };
  const operator = orders.find(order => term.startsWith(order));
  if (operator) return { kind: 'order', operator, value: unescapeValue(term.slice(operator.length)) };
  const not = term.startsWith('-');
  const positive = not ? term.slice(1) : term;
  const fold = positive.startsWith('~');
  const pattern = fold ? positive.slice(1) : positive;
  const leading = pattern.startsWith('*');
  const trailing = endsWithStar(pattern) && !(leading && pattern.length === 1);
  const value = unescapeValue(pattern.slice(leading ? 1 : 0, trailing ? -1 : undefined));
  if (leading !== trailing) return { kind: 'match', not, place: leading ? 'start' : 'end', fold, value };
  if (leading || fold) return { kind: 'match', not, place: 'anywhere', fold, value };
  return { kind: 'equal', not, value };
};

/** Longer operators first, since `<` begins `<=`. */
const orders: readonly Order[] = ['<=', '>=', '<', '>'];

/** A star at the end counts unless an odd number of backslashes precedes it. */
const endsWithStar = (pattern: string): boolean => {
  if (!pattern.endsWith('*')) return false;
  let backslashes = 0;
  while (pattern[pattern.length - 2 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 0;
};

/** A backslash takes the next character literally; one at the very end stands for itself. */
const unescapeValue = (text: string): string => (text.includes('\\') ? text.replace(/\\([\s\S])/g, '$1') : text);

const escapeValue = (value: string): string => value.replace(/[\\,*\-~<>=]/g, '\\$&');

const print = (comparison: Comparison): string => {
  switch (comparison.kind) {
    case 'null':
      return comparison.not ? '-null' : 'null';
    case 'equal':
      return sign(comparison) + (comparison.value === 'null' ? '\\null' : escapeValue(comparison.value));
    case 'order':
      return comparison.operator + escapeValue(comparison.value);
    case 'match': {
      const leading = comparison.place === 'end' ? '' : '*';
      const trailing = comparison.place === 'start' ? '' : '*';
      return sign(comparison) + (comparison.fold ? '~' : '') + leading + escapeValue(comparison.value) + trailing;
    }
  }
};

const sign = ({ not }: { readonly not: boolean }): string => (not ? '-' : '');
