/** Bytes that grow: JSON that is written without strings in between. */
export class WireOutput {
  bytes = Buffer.allocUnsafe(262_144);
  length = 0;

  /** Returns what has been written. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  byte(code: number): void {
    this.reserve(1);
    this.bytes[this.length++] = code;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  copy(from: Buffer, start: number, end: number): void {
    this.reserve(end - start);
    if (end - start > 24) {
      from.copy(this.bytes, this.length, start, end);
      this.length += end - start;
    } else for (let at = start; at < end; at++) this.bytes[this.length++] = from[at] as number;
  }
}

const [quote, backslash, comma, colon, zero, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x30, 0x2e];

/** Writes one value in Postgres's text format as JSON: the bytes from `start` to `end`. */
export type WireWriter = (out: WireOutput, from: Buffer, start: number, end: number, depth: number) => void;

const plain: WireWriter = (out, from, start, end) => out.copy(from, start, end);

const text: WireWriter = (out, from, start, end) => {
  for (let at = start; at < end; at++) {
    const code = from[at] as number;
    if (code < 0x20 || code === quote || code === backslash)
      return out.text(JSON.stringify(from.toString('utf8', start, end)));
  }
  out.byte(quote);
  out.copy(from, start, end);
  out.byte(quote);
};

const flag: WireWriter = (out, from, start) => out.byte(from[start] === 0x74 ? 0x31 : zero);

/** `12.50` → `12.5` */
const numeric: WireWriter = (out, from, start, end) => {
  let last = end;
  if (from.subarray(start, end).includes(point)) {
    while (from[last - 1] === zero) last--;
    if (from[last - 1] === point) last--;
  }
  out.copy(from, start, last);
};

/** `2026-07-01 10:00:00+00` → `"2026-07-01T10:00:00Z"` */
const instant: WireWriter = (out, from, start, end) => {
  out.byte(quote);
  out.copy(from, start, start + 10);
  out.byte(0x54);
  out.copy(from, start + 11, end - 3);
  out.byte(0x5a);
  out.byte(quote);
};

const breaks = Array.from({ length: 16 }, (_, depth) => Buffer.from(`\n${'  '.repeat(depth)}`));
const breakTo = (out: WireOutput, depth: number): void => {
  const line = breaks[depth] as Buffer;
  out.copy(line, 0, line.length);
};

/** Indents JSON. */
const json: WireWriter = (out, from, start, end, depth) => {
  let level = depth;
  for (let at = start; at < end; at++) {
    const code = from[at] as number;
    if (code === quote) {
      const opened = at;
      do at += from[at] === backslash ? 2 : 1;
      while (from[at] !== quote);
      out.copy(from, opened, at + 1);
    } else if (code === 0x7b || code === 0x5b) {
      out.byte(code);
      let next = at + 1;
      while ((from[next] as number) <= 0x20) next++;
      if (from[next] === code + 2) {
        out.byte(code + 2);
        at = next;
      } else breakTo(out, ++level);
    } else if (code === 0x7d || code === 0x5d) {
      breakTo(out, --level);
      out.byte(code);
    } else if (code === comma) {
      out.byte(code);
      breakTo(out, level);
    } else if (code === colon) {
      out.byte(code);
      out.byte(0x20);
    } else if (code > 0x20) {
      const begun = at;
      while (at + 1 < end && !delimits(from[at + 1] as number)) at++;
      numeric(out, from, begun, at + 1, level);
    }
  }
};

const delimits = (code: number): boolean => code <= 0x20 || code === comma || code === 0x7d || code === 0x5d;

const writers: Readonly<Record<number, WireWriter>> = {
  16: flag,
  20: plain,
  23: plain,
  114: json,
  701: numeric,
  1184: instant,
  1700: numeric,
  3802: json,
};

/** The writer of a column of that type (object id). */
export const writerOf = (type: number): WireWriter => writers[type] ?? text;
