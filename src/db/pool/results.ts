import { type Binary, Cells, int32At } from '../../core/resource/cells.ts';
import type { RawResult } from '../connection.ts';
import type { Row } from '../database.ts';

/** The columns of a statement's rows. */
export interface Columns {
  readonly names: readonly string[];
  /** Object ids of their types. */
  readonly types: readonly number[];
  /** The kinds of values in the binary format, by index; none until the columns are described. */
  readonly binary: Cells['binary'];
}

/** What the server has responded to one trip. */
export interface Response {
  readonly results: readonly RawResult[];
  /** The first error, with the index of the statement that it is of. */
  readonly failure: { readonly error: ServerError; readonly index: number } | null;
  /** How many of the statements that were to be parsed the server has parsed: the first ones. */
  readonly parsed: number;
  /** I: no transaction is open; T: one is; E: one has failed. */
  readonly status: string;
}

/** Codes of the server's messages (PostgreSQL documentation, "Message Formats"). */
export const codes = {
  parsed: 0x31,
  complete: 0x43,
  row: 0x44,
  error: 0x45,
  empty: 0x49,
  columns: 0x54,
  noColumns: 0x6e,
  ready: 0x5a,
} as const;

const noColumns: Columns = { names: [], types: [], binary: [] };

/** By the object id of the type: what takes the server much longer to write as a string than as bytes. */
const binaryTypes: Readonly<Record<number, Binary>> = { 20: 'integer', 1184: 'instant' };

/** Returns the columns with what is asked for in the binary format when they are known. */
export const withBinary = (columns: Columns): Columns => {
  const binary = columns.types.map(type => binaryTypes[type]);
  return binary.some(Boolean) ? { ...columns, binary } : columns;
};

/** The number of bytes of the message that begins there, without its code. */
export const lengthAt = (bytes: Buffer, at: number): number => int32At(bytes, at + 1);

/** Reads the messages of one trip, one after the other. */
export class ResponseReader {
  /** The columns of each statement, as far as they are known or have been described. */
  readonly columns: (Columns | null)[];
  readonly #results: RawResult[] = [];
  #failure: Response['failure'] = null;
  #parsed = 0;
  #cells: Cells[] = [];

  /** @param columns what is known of each statement's columns, which are then not described; written to */
  constructor(columns: (Columns | null)[]) {
    this.columns = columns;
  }

  /** Reads the message that begins there. @returns the response, if it is the last message */
  read(bytes: Buffer, at: number): Response | null {
    switch (bytes[at]) {
      case codes.row:
        // Behind the number of values.
        this.#cells.push(new Cells(bytes, at + 7, this.columns[this.#results.length]?.binary));
        return null;
      case codes.parsed:
        this.#parsed++;
        return null;
      case codes.columns:
        this.columns[this.#results.length] = readColumns(bytes, at + 5);
        return null;
      case codes.noColumns:
        this.columns[this.#results.length] = noColumns;
        return null;
      case codes.complete:
        return this.#complete(bytes.toString('latin1', at + 5, at + lengthAt(bytes, at)));
      case codes.empty:
        return this.#complete('');
      case codes.error:
        this.#failure ??= { error: readError(bytes, at), index: this.#results.length };
        return null;
      case codes.ready: {
        const status = String.fromCharCode(bytes[at + 5] as number);
        return { results: this.#results, failure: this.#failure, parsed: this.#parsed, status };
      }
      default:
        // All others confirm what was sent, or are notices.
        return null;
    }
  }

  #complete(tag: string): null {
    this.#results.push(new BytesResult(this.#cells, this.columns[this.#results.length] ?? noColumns, tag));
    this.#cells = [];
    return null;
  }
}

/** A result whose rows become strings when they are first asked for. */
class BytesResult implements RawResult {
  readonly columns: readonly string[];
  readonly types: readonly number[];
  readonly cells: readonly Cells[];
  readonly command: string;
  readonly affected: number;
  #rows: readonly Row[] | null = null;

  /** @param tag such as `INSERT 0 1` */
  constructor(cells: readonly Cells[], { names, types }: Columns, tag: string) {
    this.columns = names;
    this.types = types;
    this.cells = cells;
    const space = tag.indexOf(' ');
    this.command = space < 0 ? tag : tag.slice(0, space);
    this.affected = space < 0 ? 0 : Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;
  }

  get rows(): readonly Row[] {
    this.#rows ??= this.cells.map(cells => cells.first(this.columns.length) as Row);
    return this.#rows;
  }
}

/** Each column: its name, then 18 bytes, of which those from the seventh to the tenth are its type. */
const readColumns = (bytes: Buffer, start: number): Columns => {
  const names: string[] = [];
  const types: number[] = [];
  let at = start + 2;
  for (let left = bytes.readUInt16BE(start); left > 0; left--) {
    const end = bytes.indexOf(0, at);
    names.push(bytes.toString('utf8', at, end));
    types.push(bytes.readUInt32BE(end + 7));
    at = end + 19;
  }
  return { names, types, binary: [] };
};

/** An error that the server has sent, with the fields that describe it. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  /** Whether the server closes the connection. */
  readonly isFatal: boolean;

  constructor(fields: Readonly<Record<string, string>>) {
    super(fields.M);
    this.isFatal = fields.V === 'FATAL' || fields.V === 'PANIC';
    for (const [code, name] of Object.entries(fieldNames)) {
      if (fields[code] !== undefined) Object.assign(this, { [name]: fields[code] });
    }
  }
}

/** PostgreSQL documentation, "Error and Notice Message Fields". */
const fieldNames = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  n: 'constraint',
  R: 'routine',
} as const;

/** Returns the error of the message that begins there. */
export const readError = (bytes: Buffer, start: number): ServerError => {
  const fields: Record<string, string> = {};
  for (let at = start + 5; bytes[at] !== 0 && at < bytes.length; ) {
    const end = bytes.indexOf(0, at + 1);
    fields[String.fromCharCode(bytes[at] as number)] = bytes.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return new ServerError(fields);
};
