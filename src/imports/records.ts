/**
 * A record of an import's content.
 * It is a line of NDJSON, or a row of CSV, whose quoted cells can have line breaks.
 */
export interface ContentRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Its bytes without the line break at its end; null: they are more than the limit. */
  readonly bytes: Buffer | null;
  /** Whether the content ends within one of its quoted cells. */
  readonly open: boolean;
  /** The place after it. */
  readonly end: FilePosition;
}

/** A place in the content: the number of bytes and of lines before it. */
export interface FilePosition {
  readonly position: number;
  readonly lines: number;
}

/** Maximum bytes of a record. */
export const recordLimit = 1_048_576;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;

/**
 * Splits content into records, of which one at a time is held in memory. Empty lines are no records.
 * @param start the place where the given content begins
 * @param delimiter the byte between the cells of CSV; null: there are no cells, and every line is a record
 */
export async function* splitRecords(
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  start: FilePosition,
  delimiter: number | null,
  limit = recordLimit,
): AsyncGenerator<ContentRecord> {
  const ends: Ends = delimiter === null ? (byte: number) => byte === LINE_FEED : rowEnds(delimiter);
  let { position, lines } = start;
  let line = lines + 1;
  let held = new HeldBytes(limit);
  for await (const chunk of content) {
    let from = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (byte === LINE_FEED) lines++;
      if (!ends(byte)) continue;
      held.add(chunk.subarray(from, index));
      from = index + 1;
      const bytes = held.take();
      if (!isEmpty(bytes)) yield { line, bytes, open: false, end: { position: position + from, lines } };
      held = new HeldBytes(limit);
      line = lines + 1;
    }
    held.add(chunk.subarray(from));
    position += chunk.length;
  }
  const bytes = held.take();
  if (!isEmpty(bytes)) yield { line, bytes, open: ends.inside?.() ?? false, end: { position, lines: lines + 1 } };
}

const isEmpty = (bytes: Buffer | null): boolean => bytes?.length === 0;

/** Returns for each byte whether a record ends with it. */
interface Ends {
  (byte: number): boolean;
  /** Whether the next byte is part of a quoted cell. */
  inside?(): boolean;
}

/**
 * Returns a function that finds the ends of the rows of CSV (RFC 4180).
 * A quote opens a cell only at its beginning.
 */
const rowEnds = (delimiter: number): Ends => {
  let place: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin';
  const ends: Ends = byte => {
    if (byte === QUOTE) {
      if (place === 'begin' || place === 'closed') place = 'quoted';
      else if (place === 'quoted') place = 'closed';
      return false;
    }
    if (place === 'quoted') return false;
    place = byte === delimiter || byte === LINE_FEED ? 'begin' : 'plain';
    return byte === LINE_FEED;
  };
  ends.inside = () => place === 'quoted';
  return ends;
};

/** The bytes of one record, of which none are kept beyond a limit. */
class HeldBytes {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#limit) this.#parts = [];
    // A copy, since a part would keep its whole chunk in memory.
    else if (part.length > 0) this.#parts.push(Buffer.from(part));
  }

  /** Returns the bytes without a carriage return at their end; null: they are more than the limit. */
  take(): Buffer | null {
    if (this.#length > this.#limit) return null;
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
    return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes;
  }
}
