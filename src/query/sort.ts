import type { OrderByItemBuilder } from 'kysely';
import { ApiError } from '../core/errors.ts';
import type { Field, Resource } from '../core/resource/resource.ts';

/** One field that a listing is sorted by. */
export interface OrderTerm {
  readonly field: Field;
  readonly descending: boolean;
  /** The only records that are selected: those with a value of the field, or those without. */
  readonly only?: 'values' | 'nulls';
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
  const fields = new Set<string>();
  for (const { field } of terms) {
    if (fields.has(field)) throw new ApiError('invalid_sort', { message: `sort contains the field ${field} twice.` });
    fields.add(field);
  }
  return terms;
};

const parseTerm = (text: string): SortTerm => {
  const signed = /^[-+ ]/.test(text);
  const field = signed ? text.slice(1) : text;
  if (field === '') throw new ApiError('invalid_sort', { message: 'sort contains an empty entry.' });
  return { field, descending: text.startsWith('-') };
};

/**
 * Returns the direction of a term.
 * Nulls are last ascending and first descending: one order is the other's reverse, which a btree index serves either way.
 * Whether a field is nullable makes no difference to the planner.
 */
export const directionOf =
  ({ descending }: Pick<OrderTerm, 'descending'>) =>
  (order: OrderByItemBuilder): OrderByItemBuilder =>
    descending ? order.desc().nullsFirst() : order.asc().nullsLast();

/** The direction of ascending terms. */
export const ascending = directionOf({ descending: false });

/** Returns the order of listings without `sort`; empty: that of the key. */
export const defaultSort = ({ sort }: Resource): readonly SortTerm[] => (sort === undefined ? [] : parseSort(sort));
