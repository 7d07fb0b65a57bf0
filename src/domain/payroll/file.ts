import { type FieldError, fieldError, validationFailed } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { fitted, joined, type PayrollLine, Unwritable, writeValue } from './cell.ts';
import { encode, isEncodable, markOf } from './encoding.ts';
import { fill, type PayrollFileFormat } from './format.ts';
import { linesOf } from './lines.ts';

/** What has been written of a payroll file. */
export interface WrittenFile {
  lines: number;
  /** The first 100 lines. */
  readonly preview: string[];
}

/** Lines of the preview, and errors that are listed. */
const most = 100;

/** What a payroll file is made of. */
export interface FileContent {
  readonly payRunId: number;
  readonly format: PayrollFileFormat;
  /** Returns the value of a name in the texts of the format. */
  readonly named: (name: string) => string;
}

/**
 * The bytes of a payroll file, a batch of lines at a time.
 * @param written is told what has been written
 * @throws ApiError validation_failed (422): an error for each line that can't be written; after them, nothing is of use
 */
export async function* payrollFile(
  { payRunId, format, named }: FileContent,
  written: WrittenFile,
  transaction: Transaction,
): AsyncGenerator<Buffer> {
  const { encoding } = format;
  const newline = format.newline === 'lf' ? '\n' : '\r\n';
  const frame = (field: 'header' | 'footer'): string => {
    const text = format[field];
    return text === null ? '' : `${fill(text, named)}\n`.replaceAll('\n', newline);
  };
  const write = writerOf(format, named);
  const [header, footer] = [frame('header'), frame('footer')];
  const errors = frameErrors({ header, footer }, encoding);
  if (errors.length > 0) throw validationFailed(errors);
  yield Buffer.concat([markOf(encoding), encode(header, encoding)]);
  for await (const lines of linesOf(payRunId, format, transaction)) {
    const batch: string[] = [];
    for (const line of lines) {
      const error = attempt(() => batch.push(write(line)), `lines.${written.lines}.`);
      if (error) errors.push(error);
      written.lines++;
      if (errors.length > most) throw validationFailed(errors);
    }
    written.preview.push(...batch.slice(0, most - written.preview.length));
    if (errors.length === 0 && batch.length > 0) yield encode(batch.map(text => text + newline).join(''), encoding);
  }
  if (errors.length > 0) throw validationFailed(errors);
  yield encode(footer, encoding);
}

const frameErrors = (texts: Readonly<Record<string, string>>, encoding: PayrollFileFormat['encoding']): FieldError[] =>
  Object.entries(texts).flatMap(([field, text]) =>
    isEncodable(text, encoding) ? [] : [fieldError('invalid_character', field)],
  );

/**
 * Returns the function that writes a line.
 * @throws ApiError validation_failed (422) if a fixed text can't be written
 */
const writerOf = (format: PayrollFileFormat, named: (name: string) => string): ((line: PayrollLine) => string) => {
  const { cells, required } = format;
  const errors: FieldError[] = [];
  const fixed = cells.map((cell, index) => {
    let text = '';
    const error = attempt(() => {
      text = cell.text === undefined ? '' : fitted(fill(cell.text, named), cell, `${index}.text`, format);
    }, 'cells.');
    if (error) errors.push(error);
    return text;
  });
  if (errors.length > 0) throw validationFailed(errors);
  return line => {
    const empty = required.find(name => !line.values[name]);
    if (empty !== undefined) throw new Unwritable('not_empty', empty, 'a value is required.');
    return joined(
      cells.map((cell, index) =>
        cell.value === undefined ? (fixed[index] as string) : writeValue(cell, line, format),
      ),
      format,
    );
  };
};

/** Returns the error of what can't be written; null: it can. */
const attempt = (write: () => void, place: string): FieldError | null => {
  try {
    write();
    return null;
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    const field = `${place}${error.field}`;
    return fieldError(error.code, field, `${field}: ${error.message}`);
  }
};
