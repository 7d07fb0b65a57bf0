import { printCursor } from '../../../src/query/cursor.ts';
import { parseQuery } from '../../../src/query/query.ts';

/** The cursor of the page of a listing, without filters or sort, that follows the record with the id. */
export const cursorAfter = (listing: string, id: number): string =>
  printCursor([String(id)], { ...parseQuery([]), listing });
