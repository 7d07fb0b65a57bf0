import { withoutTrailing } from '../trailing.ts';

/** The kind of a value in the database's binary format: an integer or an instant, of eight bytes. */
export type Binary = 'integer' | 'instant';

/** The value of a member: the string of a column, or the embedded record or records. */
export type Cell = string | null | Cells | readonly Cells[];

const none: readonly never[] = [];
const empty = Buffer.alloc(0);

/**
 * The values of a record, in the order of its members; surplus ones are not sent.
 * They stay the bytes that the database has sent, one after the other, each a length of four bytes (-1: null) and the value, until
 * they are written or asked for.
 */
export class Cells {
  readonly bytes: Buffer;
  /** Where the first value begins, after two bytes with the number of values; -1: the bytes have none. */
  readonly start: number;
  /** What the values that are binary are, by index; the bytes of all others are strings in UTF-8. */
  readonly binary: readonly (Binary | undefined)[];
  /** Values that replace those in the bytes or follow them, by index. */
  readonly own: readonly (Cell | undefined)[];

  constructor(bytes: Buffer, start: number, binary: Cells['binary'] = none, own: Cells['own'] = none) {
    this.bytes = bytes;
    this.start = start;
    this.binary = binary;
    this.own = own;
  }

  /** Returns a record with these values. */
  static of(...values: readonly Cell[]): Cells {
    return new Cells(empty, -1, none, values);
  }

  /** Returns one value. */
  at(index: number): Cell {
    const own = this.own[index];
    if (own !== undefined) return own;
    if (this.start < 0) return null;
    let at = this.start;
    for (let before = 0; before < index; before++) at += 4 + Math.max(0, int32At(this.bytes, at));
    return this.#string(index, at);
  }

  /** Returns the column's string at an index. @throws Error if an embedded record is there */
  text(index: number): string | null {
    const cell = this.at(index);
    if (cell === null || typeof cell === 'string') return cell;
    throw new Error(`The value ${index} is an embedded record.`);
  }

  /** Returns the first `count` values. */
  first(count: number): readonly Cell[] {
    const cells: Cell[] = [];
    let at = this.start;
    for (let index = 0; index < count; index++) {
      const own = this.own[index];
      if (own === undefined) cells.push(at < 0 ? null : this.#string(index, at));
      else cells.push(own);
      if (at >= 0) at += 4 + Math.max(0, int32At(this.bytes, at));
    }
    return cells;
  }

  /** Returns the record with another value at an index. */
  with(index: number, cell: Cell): Cells {
    const own = [...this.own];
    own[index] = cell;
    return new Cells(this.bytes, this.start, this.binary, own);
  }

  /** Returns all values, for JSON.stringify; see `revived`. */
  toJSON(): readonly Cell[] {
    const count = this.start < 0 ? 0 : this.bytes.readUInt16BE(this.start - 2);
    return this.first(Math.max(count, this.own.length));
  }

  /** Returns the string of the value whose length is there. */
  #string(index: number, at: number): string | null {
    const length = int32At(this.bytes, at);
    if (length < 0) return null;
    const [binary, start] = [this.binary[index], at + 4];
    return binary ? textOfBinary(binary, this.bytes, start) : this.bytes.toString('utf8', start, start + length);
  }
}

/** Returns the number that four bytes are. */
export const int32At = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 24) |
  ((bytes[at + 1] as number) << 16) |
  ((bytes[at + 2] as number) << 8) |
  (bytes[at + 3] as number);

/** Returns the string of the binary value that begins there, as in the text format (instants: UTC). */
export const textOfBinary = (binary: Binary, bytes: Buffer, at: number): string => {
  const [high, low] = [int32At(bytes, at), int32At(bytes, at + 4)];
  if (binary === 'instant') return instantText(high, low);
  return high === 0 && low >= 0 ? `${low}` : bytes.readBigInt64BE(at).toString();
};

/** Milliseconds from 1970 to 2000, from which Postgres counts. */
const before2000 = Date.UTC(2000);
const microsecondsOfSecond = 1_000_000;

/**
 * Returns an instant as `2026-07-01 10:00:00+00`.
 * @param high the upper half of its microseconds since 2000 in UTC, a 64-bit integer
 * @param low the lower half
 * @throws RangeError beyond the year 275760
 */
const instantText = (high: number, low: number): string => {
  if (high === 0x7fffffff && low === -1) return 'infinity';
  if (high === -0x80000000 && low === 0) return '-infinity';
  // Exact until 2285, and whole seconds until 20266.
  const microseconds = high * 2 ** 32 + (low >>> 0);
  const date = new Date(Math.floor(microseconds / 1000) + before2000);
  // Without the year, whose digits vary: `-07-01T10:00:00.000Z`.
  const rest = date.toISOString().slice(-20);
  const year = date.getUTCFullYear();
  // There is no year 0.
  const [shown, era] = year > 0 ? [year, ''] : [1 - year, ' BC'];
  const part = ((microseconds % microsecondsOfSecond) + microsecondsOfSecond) % microsecondsOfSecond;
  const fraction = part === 0 ? '' : `.${withoutTrailing(String(part).padStart(6, '0'), '0')}`;
  return `${String(shown).padStart(4, '0')}${rest.slice(0, 6)} ${rest.slice(7, 15)}${fraction}+00${era}`;
};
