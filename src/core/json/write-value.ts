import { type Binary, int32At, textOfBinary } from '../resource/cells.ts';
import type { FieldType } from '../resource/resource.ts';
import type { Output } from './output.ts';

/** The depth of what is written in one line without blanks; also that of what is inside of it. */
export const compact = Number.NEGATIVE_INFINITY;

/** Returns what begins a line of that depth. */
export const lineBreak = (depth: number): string => (depth === compact ? '' : `\n${'  '.repeat(depth)}`);

/** Writes a value of Postgres, the bytes from `start` to `end`, as JSON in a line of that depth. */
export type ValueWriter = (out: Output, from: Buffer, start: number, end: number, depth: number) => void;

const [quote, backslash, comma, colon, zero, nine, point, minus] = [0x22, 0x5c, 0x2c, 0x3a, 0x30, 0x39, 0x2e, 0x2d];

const plain: ValueWriter = (out, from, start, end) => out.copy(from, start, end);

const quoted: ValueWriter = (out, from, start, end) => {
  out.byte(quote);
  out.copy(from, start, end);
  out.byte(quote);
};

const text: ValueWriter = (out, from, start, end) => {
  for (let at = start; at < end; at++) {
    const code = from[at] as number;
    if (code < 0x20 || code === quote || code === backslash)
      return out.text(JSON.stringify(from.toString('utf8', start, end)));
  }
  out.byte(quote);
  out.copy(from, start, end);
  out.byte(quote);
};

const flag: ValueWriter = (out, from, start) => out.byte(from[start] === 0x74 ? 0x31 : zero);

/** `12.50` → `12.5`; null for NaN and infinities, which a numeric column can hold and JSON cannot. */
const number: ValueWriter = (out, from, start, end) => {
  if ((from[end - 1] as number) > nine) return out.text('null');
  let last = end;
  if (from[end - 1] === zero && hasPoint(from, start, end)) {
    while (from[last - 1] === zero) last--;
    if (from[last - 1] === point) last--;
  }
  out.copy(from, start, last);
};

const hasPoint = (from: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at++) if (from[at] === point) return true;
  return false;
};

/** `2026-07-01 10:00:00+00` → `"2026-07-01T10:00:00Z"` */
const instant: ValueWriter = (out, from, start, end) => {
  out.byte(quote);
  out.copy(from, start, start + 10);
  out.byte(0x54);
  out.copy(from, start + 11, end - 3);
  out.byte(0x5a);
  out.byte(quote);
};

const breakTo = (out: Output, depth: number): void => {
  if (depth === compact) return;
  out.byte(0x0a);
  for (let left = depth; left > 0; left--) {
    out.byte(0x20);
    out.byte(0x20);
  }
};

/** Lays out JSON anew; its values become those that JSON.parse reads, its members stay in their order. */
const json: ValueWriter = (out, from, start, end, depth) => {
  let level = depth;
  for (let at = start; at < end; ) {
    const code = from[at] as number;
    if (code === quote) at = string(out, from, at);
    else if (code <= 0x20) at++;
    else if (code === 0x7b || code === 0x5b) {
      let next = at + 1;
      while ((from[next] as number) <= 0x20) next++;
      out.byte(code);
      // The closing bracket of each kind comes two after the opening one.
      if (from[next] === code + 2) out.byte(code + 2);
      else breakTo(out, ++level);
      at = from[next] === code + 2 ? next + 1 : next;
    } else if (code === 0x7d || code === 0x5d) {
      breakTo(out, --level);
      out.byte(code);
      at++;
    } else if (code === comma) {
      out.byte(code);
      breakTo(out, level);
      at++;
    } else if (code === colon) {
      out.byte(code);
      if (level !== compact) out.byte(0x20);
      at++;
    } else at = literal(out, from, at, end);
  }
};

/** Writes the string that begins there, and returns where it ends. */
const string = (out: Output, from: Buffer, start: number): number => {
  let at = start + 1;
  let isCanonical = true;
  for (; from[at] !== quote; at++) {
    if (from[at] !== backslash) continue;
    at++;
    // Whoever wrote it may have escaped what JSON.stringify does not.
    if (from[at] === 0x75 || from[at] === 0x2f) isCanonical = false;
  }
  if (isCanonical) out.copy(from, start, at + 1);
  else out.text(JSON.stringify(JSON.parse(from.toString('utf8', start, at + 1))));
  return at + 1;
};

/** Digits of the integers that are certain to be numbers of JavaScript, written in the same way. */
const safeDigits = 15;

/** Writes the number, `true`, `false` or `null` that begins there, and returns where it ends. */
const literal = (out: Output, from: Buffer, start: number, end: number): number => {
  let at = start;
  let isCanonical = from[start] !== minus || from[start + 1] !== zero;
  for (; at < end && !delimits(from[at] as number); at++) {
    const code = from[at] as number;
    if (code === point || code === 0x65 || code === 0x45) isCanonical = false;
  }
  // Not a letter: a sign or a digit.
  if ((from[start] as number) <= nine && (!isCanonical || at - start > safeDigits))
    out.text(JSON.stringify(Number(from.toString('latin1', start, at))));
  else out.copy(from, start, at);
  return at;
};

const delimits = (code: number): boolean => code <= 0x20 || code === comma || code === 0x7d || code === 0x5d;

const viaText =
  (binary: Binary, write: ValueWriter): ValueWriter =>
  (out, from, start, _, depth) => {
    const bytes = Buffer.from(textOfBinary(binary, from, start));
    write(out, bytes, 0, bytes.length, depth);
  };

const integer: ValueWriter = (out, from, start) => {
  const low = int32At(from, start + 4);
  if (low >= 0 && int32At(from, start) === 0) out.digits(low);
  else out.text(textOfBinary('integer', from, start));
};

const dayLength = 86_400_000_000;
/** The first and the last day of years with four digits, since 2000. */
const [firstDay, lastDay] = [-730_119, 2_921_939];
/** The days written last, each at the place of its last bits, and their dates: records repeat them. */
const days = new Int32Array(4096).fill(lastDay + 1);
const dates = Buffer.alloc(10 * days.length);
const shown = Buffer.from('"0000-00-00T00:00:00Z"');

const otherInstant = viaText('instant', instant);

/** Writes microseconds since 2000 as `"2026-07-01T10:00:00Z"`. */
const binaryInstant: ValueWriter = (out, from, start, end, depth) => {
  const microseconds = int32At(from, start) * 2 ** 32 + (int32At(from, start + 4) >>> 0);
  const day = Math.floor(microseconds / dayLength);
  const second = (microseconds - day * dayLength) / 1_000_000;
  const seconds = second | 0;
  if (second !== seconds || day < firstDay || day > lastDay) return otherInstant(out, from, start, end, depth);
  const place = day & (days.length - 1);
  if (days[place] !== day) {
    days[place] = day;
    dates.write(textOfBinary('instant', from, start), 10 * place, 10, 'latin1');
  }
  for (let at = 0; at < 10; at++) shown[1 + at] = dates[10 * place + at] as number;
  show(12, (seconds / 3600) | 0);
  show(15, ((seconds / 60) | 0) % 60);
  show(18, seconds % 60);
  out.copy(shown, 0, shown.length);
};

const show = (at: number, number: number): void => {
  const ten = (number / 10) | 0;
  shown[at] = zero + ten;
  shown[at + 1] = zero + number - 10 * ten;
};

/** Returns the writers of a field's values: in Postgres's text format, and in its binary one. */
const writers = (text: ValueWriter, own: Partial<Record<Binary, ValueWriter>> = {}) => ({
  text,
  integer: viaText('integer', text),
  instant: viaText('instant', text),
  ...own,
});

/** The writers of values, by the type of their field and how Postgres has sent them. */
export const valueWriters: Readonly<Record<FieldType, Readonly<Record<'text' | Binary, ValueWriter>>>> = {
  integer: writers(plain, { integer }),
  number: writers(number),
  flag: writers(flag),
  text: writers(text),
  date: writers(quoted),
  date_time: writers(instant, { instant: binaryInstant }),
  json: writers(json),
};
