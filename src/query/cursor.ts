import { createHash } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { isNumber } from '../core/numbers.ts';
import { isDate, parseInstant } from '../core/time.ts';
import { printComparisons } from './filter.ts';
import { isInteger } from './predicate.ts';
import type { Query } from './query.ts';
import type { OrderTerm } from './sort.ts';

/** The end of a page: for each term of the order, the column's string form in the page's last record. */
export type Position = readonly (string | null)[];

/** What a cursor is bound to: a listing, and what decides its records and their order. */
export interface CursorScope extends Pick<Query, 'filters' | 'sort'> {
  /** The name of the listing, which no other one has. */
  readonly listing: string;
}

/**
 * The opaque cursor of a position, valid only for the same listing and query.
 * See docs/decisions.md, "Paging".
 */
export const printCursor = (position: Position, bound: CursorScope): string =>
  Buffer.from(JSON.stringify([digest(bound), ...position])).toString('base64url');

/**
 * The position that a cursor encodes.
 * @throws ApiError invalid_cursor if it is malformed or belongs to another listing or query
 */
export const parseCursor = (text: string, bound: CursorScope, order: readonly OrderTerm[]): Position => {
  const [printed, ...position] = entries(text);
  if (printed !== digest(bound)) {
    throw new ApiError('invalid_cursor', {
      message: 'The cursor belongs to another listing, or to one with other filters or another sort.',
    });
  }
  const fits =
    position.length === order.length && order.every(({ field: { type } }, index) => isText(type, position[index]));
  if (!fits) throw malformed();
  return position as Position;
};

const malformed = () => new ApiError('invalid_cursor', { message: 'The cursor was not returned by a listing.' });

const entries = (text: string): unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value)) return value;
  } catch {
    // Invalid JSON is reported like a value that is not an array.
  }
  throw malformed();
};

const digest = ({ listing, filters, sort }: CursorScope): string =>
  createHash('sha256')
    .update(JSON.stringify([listing, filters.map(({ field, all }) => [field, all.map(printComparisons)]), sort]))
    .digest('base64url')
    .slice(0, 16);

/** Whether the database can have returned this value for the type: clients can forge cursors. */
const isText = (type: OrderTerm['field']['type'], text: unknown): boolean => {
  if (text === null) return true;
  if (typeof text !== 'string') return false;
  switch (type) {
    case 'integer':
      return isInteger(text);
    case 'number':
      return isNumber(text);
    case 'flag':
      return text === 't' || text === 'f';
    case 'date':
      return isDate(text);
    case 'date_time':
      return /^[\d-]{10} [\d:]{8}\+00$/.test(text) && parseInstant(`${text.slice(0, -3)}Z`, 'UTC') !== null;
    default:
      return !text.includes('\0') && text.isWellFormed();
  }
};
