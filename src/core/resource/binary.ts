import { withoutTrailing } from '../trailing.ts';

/** The kind of a value in the database's binary format: an integer or an instant, of eight bytes. */
export type Binary = 'integer' | 'instant';

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
