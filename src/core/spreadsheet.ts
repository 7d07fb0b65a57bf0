/**
 * The beginning of a text that a spreadsheet takes for a formula, after apostrophes of its own.
 * Not that of a signed number, nor of digits in groups, as a telephone number has them.
 */
const formula = /^'*(?:[=@\t\r]|[+-](?!\d[\d .,]*(?:[eE][+-]?\d+)?$))/;

/** Puts an apostrophe before a text that a spreadsheet takes for a formula. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Takes the apostrophe of `escapeFormula` away. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;
