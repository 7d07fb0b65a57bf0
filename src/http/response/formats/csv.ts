import { stringify } from 'csv-stringify/sync';
import type { Cell } from '../../../core/resource/cells.ts';
import { instantOf } from '../../../core/resource/codec.ts';
import type { FieldType } from '../../../core/resource/resource.ts';
import { escapeFormula } from '../../../core/spreadsheet.ts';
import { withoutTrailing } from '../../../core/trailing.ts';
import type { ListingFormat } from '../formats.ts';

/** CSV (RFC 4180): the names of the fields, then a row for each record, without embedded ones. */
export const csv: ListingFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  listing: ({ members }, { defuseCsv }) => {
    const columns = members.flatMap((member, index) => ('type' in member ? [{ ...member, index }] : []));
    // Parsers skip empty lines, so the empty cell of a row with a single cell is quoted.
    const options = { record_delimiter: '\r\n', quote_record_delimiter: true, quoted_empty: columns.length === 1 };
    const write = (rows: readonly (readonly string[])[]): string => stringify([...rows], options);
    const defused = defuseCsv ? escapeFormula : (cell: string) => cell;
    return {
      begin: write([columns.map(({ name }) => name)]),
      batch: records =>
        write(
          records.map(record => {
            const cells = record.first(members.length);
            return columns.map(({ type, index }) => defused(cellOf(type, cells[index] ?? null)));
          }),
        ),
      end: () => '',
    };
  },
};

/** Returns a field's value: a string as it is, others as in JSON; an empty cell for null. */
const cellOf = (type: FieldType, cell: Cell): string => {
  if (cell === null) return '';
  const text = cell as string;
  switch (type) {
    case 'number':
      return encodeNumber(text);
    case 'flag':
      return text === 't' ? '1' : '0';
    case 'date_time':
      return instantOf(text);
    case 'json':
      return orEmpty(JSON.stringify(JSON.parse(text)));
    default:
      return text;
  }
};

const orEmpty = (json: string): string => (json === 'null' ? '' : json);

/** `12.50` → `12.5`; empty for NaN and infinities, as null is. */
const encodeNumber = (text: string): string => {
  if (/[a-z]$/i.test(text)) return '';
  return text.includes('.') ? withoutTrailing(withoutTrailing(text, '0'), '.') : text;
};
