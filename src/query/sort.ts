import { ApiError } from '../core/errors.ts';

export interface SortTerm {
  readonly field: string;
  readonly descending: boolean;
}

/**
 * Parses `sort`: field names separated by commas, each with an optional sign. A leading blank is a `+` that the URL decoded.
 * An empty or repeated name is `invalid_sort`. Specification, "Query parameters for listings and reads".
 */
export const parseSort = (text: string): SortTerm[] => {
  const terms = text.split(',').map(parseTerm);
  const repeated = terms.find((term, index) => terms.findIndex(other => other.field === term.field) < index);
  if (repeated) throw new ApiError('invalid_sort', { message: `sort names the field ${repeated.field} twice.` });
  return terms;
};

const parseTerm = (text: string): SortTerm => {
  const signed = /^[-+ ]/.test(text);
  const field = signed ? text.slice(1) : text;
  if (field === '') throw new ApiError('invalid_sort', { message: 'sort has an empty entry.' });
  return { field, descending: text.startsWith('-') };
};
