import { parse } from 'csv-parse/sync';
import type { Json } from '../core/call/reply.ts';
import { type FieldError, fieldError, invalidField } from '../core/errors.ts';
import { findJsonDefect, markInexactNumbers } from '../core/json/strict.ts';
import { suggestion } from '../core/names.ts';
import { type FieldSet, rejectDeleted } from '../core/resource/fields.ts';
import type { Field, Resource } from '../core/resource/resource.ts';
import { unescapeFormula } from '../core/spreadsheet.ts';
import { atOnce } from '../core/turns.ts';

/** The header row of CSV: the names of the columns and what separates cells. */
export interface Header {
  /** Of a header with a `;` that: no name of a field contains one. */
  readonly delimiter: ',' | ';';
  readonly names: readonly string[];
}

/** How the cells of CSV are read. */
export interface CellOptions {
  /** Whether to remove the apostrophe of cells that a spreadsheet would read as a formula without it. */
  readonly defused: boolean;
  /** Maximum levels of nesting of JSON in a cell. */
  readonly depth: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses the header row; null: it is too long. @throws ApiError validation_failed (422) */
export const parseHeader = (bytes: Buffer | null): Header => {
  if (bytes === null) throw invalidHeader('The header row is too long.');
  const delimiter = bytes.includes(';') ? ';' : ',';
  const [row] = parseRows([bytes], delimiter);
  if (row && 'cells' in row) return { delimiter, names: row.cells };
  throw invalidHeader(`The header row is malformed: ${row?.error.message}`);
};

const invalidHeader = (message: string) => invalidField('invalid_format', '', message);

/** The member of bodies that a column is, or a part of one. */
interface CsvColumn {
  readonly name: string;
  /** The field; null for a reference by external id, whose member is `name` and has the member `part`. */
  readonly field: Field | null;
  readonly part?: string;
}

/** The columns that are references by external id, by their names. */
type ReferenceColumns = ReadonlyMap<string, CsvColumn>;

const referencesIn = (set: FieldSet, resources: Readonly<Record<string, Resource>>): ReferenceColumns =>
  new Map(
    set.fields.flatMap(({ byExternalId: name, references = '' }) => {
      const part = resources[references]?.externalKey;
      return name === undefined || part === undefined
        ? []
        : [[`${name}.${part}`, { name, field: null, part }] as const];
    }),
  );

/** Returns the columns of a header. One whose name is not a field, or not any more, has no field. */
export const columnsOf = (
  { names }: Header,
  set: FieldSet,
  resources: Readonly<Record<string, Resource>>,
): readonly CsvColumn[] => {
  const references = referencesIn(set, resources);
  return names.map(name => references.get(name) ?? { name, field: set.byName.get(name) ?? null });
};

/**
 * Returns an error for each name of a header that is not one of the resource, or occurs twice.
 * @throws ApiError field_deleted (410)
 */
export const findHeaderErrors = (
  { names }: Header,
  set: FieldSet,
  resources: Readonly<Record<string, Resource>>,
): readonly FieldError[] => {
  const references = referencesIn(set, resources);
  return names.flatMap((name, index): FieldError | readonly FieldError[] => {
    if (names.indexOf(name) < index) return fieldError('not_unique', name, `${name}: the column occurs twice.`);
    return set.byName.has(name) || references.has(name) ? [] : unknownColumn(name, set, [...references.keys()]);
  });
};

/** @throws ApiError field_deleted (410) */
const unknownColumn = (name: string, set: FieldSet, references: readonly string[]): FieldError => {
  rejectDeleted(set, name);
  const shown = name.slice(0, 64);
  const hint = suggestion(name, [...set.byName.keys(), ...references]);
  return fieldError('unknown_field', shown, `The column "${shown}" is not a field of ${set.resource.name}.${hint}`);
};

/** The cells of a row, or why it has none. */
type ParsedLine = { readonly cells: readonly string[] } | { readonly error: FieldError };

/** Returns the cells of rows, each without its line break. */
export const parseRows = (rows: readonly Buffer[], delimiter: string): readonly ParsedLine[] => {
  const texts = rows.map(decode);
  const decoded = texts.filter(text => text !== null);
  const parsed =
    parseTogether(decoded, delimiter) ?? decoded.map(text => parseTogether([text], delimiter)?.[0] ?? null);
  let next = 0;
  return texts.map(text => {
    if (text === null) return { error: fieldError('invalid_character', '', 'The row is not UTF-8.') };
    const cells = parsed[next++];
    if (cells) return { cells };
    return {
      error: fieldError('invalid_format', '', 'A quote in the row is neither at the edge of its cell nor doubled.'),
    };
  });
};

const decode = (bytes: Buffer): string | null => {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
};

/** Parses rows in one pass; null if one of them is malformed. */
const parseTogether = (rows: readonly string[], delimiter: string): (readonly string[])[] | null => {
  try {
    const parsed = parse(rows.join('\n'), { delimiter, record_delimiter: '\n', relax_column_count: true });
    return parsed.length === rows.length ? parsed : null;
  } catch {
    return null;
  }
};

/** Returns the body that a row's cells are; empty cells are left out. */
export const bodyOf = (
  cells: readonly string[],
  columns: readonly CsvColumn[],
  options: CellOptions,
): Readonly<Record<string, Json>> => {
  const body: Record<string, Json> = {};
  for (const [index, { name, field, part }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const text = options.defused ? unescapeFormula(cell) : cell;
    body[name] = part === undefined ? parseCell(text, field, options.depth) : { [part]: text };
  }
  return body;
};

/**
 * Returns a cell as a value of JSON.
 * Text that is none of the field's type stays text, which the checks of the body reject.
 */
const parseCell = (text: string, field: Field | null, depth: number): Json => {
  switch (field?.type) {
    case 'integer':
      return /^-?\d{1,20}$/.test(text) ? Number(text) : text;
    case 'number':
      return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? exactly(text) : text;
    case 'flag':
      return flags.get(text) ?? text;
    case 'json':
      return atOnce(findJsonDefect(text, depth)) ? text : exactly(text);
    default:
      return text;
  }
};

const flags: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['0', 0],
  ['1', 1],
  ['false', false],
  ['true', true],
]);

const exactly = (text: string): Json => {
  try {
    return JSON.parse(atOnce(markInexactNumbers(text)));
  } catch {
    return text;
  }
};
