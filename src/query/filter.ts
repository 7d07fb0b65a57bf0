/** One term of a filter expression. Values are unescaped; `plan` checks them against the field's type. */
export type Comparison =
  | { readonly kind: 'null'; readonly not: boolean }
  | { readonly kind: 'equal'; readonly not: boolean; readonly value: string }
  | { readonly kind: 'order'; readonly operator: Order; readonly value: string }
  | {
      readonly kind: 'match';
      readonly not: boolean;
      readonly place: MatchPosition;
      /** Case-insensitive. */
      readonly fold: boolean;
      readonly value: string;
    };

/** An operator of order. */
export type Order = '<' | '<=' | '>' | '>=';
/** Where a pattern must match: at the start, at the end, or anywhere. */
export type MatchPosition = 'start' | 'end' | 'anywhere';

/** All conditions on one field: every group holds (AND), a group if any comparison does (OR). */
export interface FieldFilter {
  readonly field: string;
  readonly all: readonly (readonly Comparison[])[];
}

/**
 * Parses the value of a filter parameter into its alternatives: `2,<2,>5` has three.
 * Never fails: every string is valid. See docs/decisions.md, "Filters".
 */
export const parseComparisons = (text: string): Comparison[] => split(text).map(parseTerm);

/** The filter expression that `parseComparisons` parses into the same comparisons. */
export const printComparisons = (comparisons: readonly Comparison[]): string => comparisons.map(print).join(',');

/** Splits at commas that are not escaped with a backslash; the terms keep their escapes. */
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
  const [operator] = /^[<>]=?/.exec(term) ?? [];
  if (operator)
    return { kind: 'order', operator: operator as Order, value: unescapeValue(term.slice(operator.length)) };
  const not = term.startsWith('-');
  const positive = not ? term.slice(1) : term;
  const fold = positive.startsWith('~');
  const pattern = fold ? positive.slice(1) : positive;
  const leading = pattern.startsWith('*');
  const trailing = finalStar.test(pattern) && !(leading && pattern.length === 1);
  const value = unescapeValue(pattern.slice(leading ? 1 : 0, trailing ? -1 : undefined));
  if (leading !== trailing) return { kind: 'match', not, place: leading ? 'start' : 'end', fold, value };
  if (leading || fold) return { kind: 'match', not, place: 'anywhere', fold, value };
  return { kind: 'equal', not, value };
};

/** An unescaped star at the end: one preceded by an even number of backslashes. */
const finalStar = /(?<!\\)(?:\\\\)*\*$/;

/** Removes escapes: a backslash makes the next character, or itself at the end, literal. */
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
