import type { FieldErrorCode } from '../../core/errors.ts';
import { escapeFormula } from '../../core/spreadsheet.ts';
import { converted, withDigits } from '../pay/money.ts';
import { isEncodable } from './encoding.ts';
import { isNumber, lineFields, type PayrollFileCell, type PayrollFileFormat } from './format.ts';

/** The values of a line by field, as texts of the database. */
export interface PayrollLine {
  readonly values: Readonly<Record<string, string | null>>;
  /** The part of the quantity whose unit is the hour. */
  readonly hours: string;
}

/** Why a line can't be written. */
export class Unwritable extends Error {
  readonly code: FieldErrorCode;
  readonly field: string;

  constructor(code: FieldErrorCode, field: string, message: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/** How many of a unit are an hour, and to how many decimal places they are rounded. */
const units = {
  hours: { factor: 1, places: 6 },
  minutes: { factor: 60, places: 2 },
  hundredths: { factor: 100, places: 0 },
} as const;

const dates: Readonly<Record<PayrollFileFormat['date'], readonly [pattern: RegExp, replacement: string]>> = {
  'yyyy-MM-dd': [/^$/, ''],
  'dd.MM.yyyy': [/^(\d+)-(\d+)-(\d+)$/, '$3.$2.$1'],
  'dd/MM/yyyy': [/^(\d+)-(\d+)-(\d+)$/, '$3/$2/$1'],
  yyyyMMdd: [/-/g, ''],
};

/** Returns a day, given as YYYY-MM-DD, as the format has it. */
export const writeDate = (day: string, { date }: Pick<PayrollFileFormat, 'date'>): string =>
  day.replace(dates[date][0], dates[date][1]);

/** Returns a decimal with the separator of the format, without needless zeros. */
export const writeNumber = (decimal: string, { decimal: separator }: Pick<PayrollFileFormat, 'decimal'>): string =>
  withDigits(decimal).replace('.', separator);

/**
 * Returns the text of a line's cell, before it is quoted.
 * @throws Unwritable if the value has none in the map, the text is too long, or the encoding lacks one of its characters
 */
export const writeValue = (cell: PayrollFileCell, line: PayrollLine, format: PayrollFileFormat): string => {
  const name = cell.value as string;
  const text = line.values[name] ?? null;
  const written = text === null ? '' : textOf(cell, name, text, line.hours, format);
  return fitted(written, cell, name, format);
};

const textOf = (
  cell: PayrollFileCell,
  name: string,
  text: string,
  hours: string,
  format: PayrollFileFormat,
): string => {
  const numeric = isNumber(name);
  const plain = numeric ? withDigits(text) : text;
  if (cell.map !== undefined) {
    const mapped = Object.entries(format.maps[cell.map] ?? {}).find(([from]) => from === plain)?.[1];
    if (mapped === undefined) throw new Unwritable('not_empty', name, `the map ${cell.map} has no text for the value.`);
    return escaped(mapped, format);
  }
  if (numeric) {
    const { factor, places } = units[name === 'quantity' ? (cell.unit ?? 'hours') : 'hours'];
    const number = factor === 1 ? text : converted(text, hours, factor, places);
    return withDigits(number, cell.scale, cell.digits).replace('.', format.decimal);
  }
  return lineFields.get(name)?.type === 'date' ? writeDate(text, format) : escaped(text, format);
};

const escaped = (text: string, { escape_formulas }: PayrollFileFormat): string =>
  escape_formulas ? escapeFormula(text) : text;

/**
 * Returns the text of a cell in its width, before it is quoted.
 * @param field the field that errors are about
 * @throws Unwritable
 */
export const fitted = (
  text: string,
  { width, pad = ' ', align }: Pick<PayrollFileCell, 'width' | 'pad' | 'align'>,
  field: string,
  format: PayrollFileFormat,
): string => {
  const length = [...text].length;
  if (width !== undefined && length > width)
    throw new Unwritable('too_long', field, `at most ${width} characters are expected.`);
  const filling = pad.repeat(Math.max(0, (width ?? 0) - length));
  const filled = align === 'right' ? filling + text : text + filling;
  if (!isEncodable(filled, format.encoding))
    throw new Unwritable('invalid_character', field, `the encoding ${format.encoding} lacks a character.`);
  if (format.quote === null && format.delimiter !== null && filled.includes(format.delimiter))
    throw new Unwritable('invalid_character', field, 'it contains the delimiter, and the format has no quote.');
  return filled;
};

/** Returns the cells of a line as one text, quoted where they need it. */
export const joined = (
  cells: readonly string[],
  { delimiter, quote }: Pick<PayrollFileFormat, 'delimiter' | 'quote'>,
): string => cells.map(cell => quoted(cell, delimiter, quote)).join(delimiter ?? '');

const quoted = (cell: string, delimiter: string | null, quote: string | null): string =>
  quote !== null && delimiter !== null && (cell.includes(delimiter) || cell.includes(quote))
    ? `${quote}${cell.replaceAll(quote, quote + quote)}${quote}`
    : cell;
