import type { ByteRange } from '../../core/call/byte-range.ts';

/**
 * Returns the single byte range of a Range header (RFC 9110, section 14.1.2) for `size` bytes.
 * @returns null if there is no valid range, or several: the response is the whole content; `unsatisfiable` if it is
 * outside of the content
 */
export const parseRange = (header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null => {
  const [match, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (match === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length > 0 ? { start: size - length, end: size - 1 } : 'unsatisfiable';
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start < size ? { start, end } : 'unsatisfiable';
};
