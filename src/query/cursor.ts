import { createHash } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { isDate, parseInstant } from '../core/time.ts';
import { printComparisons } from './filter.ts';
import type { OrderTerm } from './order.ts';
import { isInteger } from './predicate.ts';
import type { Query } from './query.ts';

/** Where a page ended: for each term of the order the column's text in its last record. */
export type Position = readonly (string | null)[];

/** The opaque text of a position, bound to the query whose listing it is a position of. */
export const printCursor = (position: Position, query: Query): string =>
  Buffer.from(JSON.stringify([digest(query), ...position])).toString('base64url');

/** The position that a cursor stands for; `invalid_cursor` if it is none, or one of another query. */
export const parseCursor = (text: string, query: Query, order: readonly OrderTerm[]): Position => {
  const [bound, ...position] = entries(text);
  if (bound !== digest(query)) {
    throw new ApiError('invalid_cursor', {
      message: 'The cursor belongs to a listing with other filters or another sort.',
    });
  }
  const fits =
    position.length === order.length && order.every(({ field: { type } }, index) => isText(type, position[index]));
  if (!fits) throw malformed();
  return position as Position;
};

const malformed = () => new ApiError('invalid_cursor', { message: 'The cursor is not one that a listing gave out.' });

const entries = (text: string): unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value)) return value;
  } catch {
    // falls through: not JSON is as wrong as not an array
  }
  throw malformed();
};

/** What a page's order and membership depend on. */
const digest = ({ filters, sort }: Query): string =>
  createHash('sha256')
    .update(JSON.stringify([filters.map(({ field, all }) => [field, all.map(printComparisons)]), sort]))
    .digest('base64url')
    .slice(0, 16);

/** True for what the database may have sent for a column of the type; a cursor's content is the client's, so it is checked. */
const isText = (type: OrderTerm['field']['type'], text: unknown): boolean => {
  if (text === null) return true;
  if (typeof text !== 'string') return false;
  switch (type) {
    case 'integer':
      return isInteger(text);
    case 'number':
      return /^-?\d{1,30}(\.\d{1,30})?(e[+-]\d{1,3})?$/.test(text);
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
