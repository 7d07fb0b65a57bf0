import { ApiError } from '../core/errors.ts';
import type { Field } from '../core/resource/resource.ts';

/** One field that a listing is sorted by. */
export interface OrderTerm {
  readonly field: Field;
  readonly descending: boolean;
}

/** A field to sort by, as parsed. */
export interface SortTerm {
  readonly field: string;
  readonly descending: boolean;
}

/**
 * Parses `sort`: field names separated by commas, each with an optional sign.
 * A leading space is a `+` after URL decoding. See docs/decisions.md, "Listings".
 * @throws ApiError invalid_sort if a name is empty or repeated
 */
export const parseSort = (text: string): SortTerm[] => {
  const terms = text.split(',').map(parseTerm);
  const repeated = terms.find((term, index) => terms.findIndex(other => other.field === term.field) < index);
  if (repeated) throw new ApiError('invalid_sort', { message: `sort contains the field ${repeated.field} twice.` });
  return terms;
};

const parseTerm = (text: string): SortTerm => {
  const signed = /^[-+ ]/.test(text);
  const field = signed ? text.slice(1) : text;
  if (field === '') throw new ApiError('invalid_sort', { message: 'sort contains an empty entry.' });
  return { field, descending: text.startsWith('-') };
};
