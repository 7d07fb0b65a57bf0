import { prepareValue } from 'pg/lib/utils.js';
import type { RawStatement } from '../connection.ts';
import type { Columns } from './results.ts';

/** How a connection sends a statement. */
export interface Sending {
  readonly statement: RawStatement;
  /** Its name on this connection; empty: none. */
  readonly name: string;
  /** Whether the server has to parse it: it has no statement of that name yet. */
  readonly parsed: boolean;
  /** Its columns; null: the server is to describe them. */
  readonly columns: Columns | null;
}

/** Returns the messages of statements without values (PostgreSQL documentation, "Simple Query"). */
export const queryMessages = (text: string): Buffer => {
  length = 0;
  begin(0x51);
  string(text);
  end();
  return taken();
};

/**
 * Returns the messages of statements that are sent together, with one Sync.
 * After an error, the server skips the rest of them (PostgreSQL documentation, "Extended Query", "Pipelining").
 * @param dropped names of statements that the server is to forget first
 * @throws Error for a value that cannot be converted, or too many of them
 */
export const pipelineMessages = (sendings: readonly Sending[], dropped: readonly string[]): Buffer => {
  // Not what remains of messages that could not be completed.
  length = 0;
  for (const name of dropped) {
    begin(0x43);
    string(`S${name}`);
    end();
  }
  for (const { statement, name, parsed, columns } of sendings) {
    if (parsed) {
      begin(0x50);
      string(name);
      string(statement.text);
      short(0);
      end();
    }
    bind(name, statement.values, columns?.binary ?? []);
    if (!columns) constant(describe);
    constant(execute);
  }
  constant(sync);
  return taken();
};

/** Of the unnamed portal. */
const describe = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
/** All rows of the unnamed portal. */
const execute = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const sync = Buffer.from([0x53, 0, 0, 0, 4]);

/**
 * Of the unnamed portal.
 * All values are in text format, and the columns of the result that are not `binary`.
 */
const bind = (name: string, values: readonly unknown[], binary: Columns['binary']): void => {
  begin(0x42);
  string('');
  string(name);
  short(0);
  short(values.length);
  for (const value of values) {
    const text = toText(value);
    if (text === null) long(-1);
    else sized(text);
  }
  short(binary.length);
  for (const is of binary) short(is ? 1 : 0);
  end();
};

/** Returns a value in Postgres's text format, as `pg` converts it; bytes in hexadecimal. */
const toText = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  const text = prepareValue(value);
  return Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : text;
};

/** Bytes of the buffer at first, and up to which it is kept. */
const usual = 16_384;
const mostKept = 1_048_576;
/** The messages written so far; each trip's are copied out of it. */
let bytes = Buffer.allocUnsafe(usual);
let length = 0;
let message = 0;

const taken = (): Buffer => {
  const copy = Buffer.from(bytes.subarray(0, length));
  if (bytes.length > mostKept) bytes = Buffer.allocUnsafe(usual);
  return copy;
};

const reserve = (more: number): void => {
  if (length + more <= bytes.length) return;
  const larger = Buffer.allocUnsafe(2 * (length + more));
  bytes.copy(larger, 0, 0, length);
  bytes = larger;
};

/** Begins a message, whose length `end` writes. */
const begin = (code: number): void => {
  reserve(5);
  bytes[length] = code;
  message = length + 1;
  length += 5;
};

const end = (): void => {
  bytes.writeInt32BE(length - message, message);
};

const short = (value: number): void => {
  reserve(2);
  length = bytes.writeUInt16BE(value, length);
};

const long = (value: number): void => {
  reserve(4);
  length = bytes.writeInt32BE(value, length);
};

const constant = (part: Buffer): void => {
  reserve(part.length);
  bytes.set(part, length);
  length += part.length;
};

/** UTF-8 has at most three bytes for each UTF-16 code unit. */
const string = (text: string): void => {
  reserve(3 * text.length + 1);
  length += bytes.write(text, length);
  bytes[length++] = 0;
};

/** A string with the number of its bytes in front. */
const sized = (text: string): void => {
  reserve(3 * text.length + 4);
  const size = bytes.write(text, length + 4);
  bytes.writeInt32BE(size, length);
  length += 4 + size;
};
