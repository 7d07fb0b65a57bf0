import { withoutTrailing } from '../core/trailing.ts';

/** Maximum length of a name in UTF-8 bytes. */
const limit = 255;

/**
 * The file name in a header, made safe for any file system.
 * Empty if nothing is left of it. Accepts RFC 8187 (`UTF-8''na%C3%AFve.pdf`), percent-encoded UTF-8, and raw UTF-8 or
 * Latin-1 bytes.
 * @param header as Node.js returns it: one character per byte
 */
export const readFileName = (header: string): string => cleanName(decodeName(header.trim()));

const decodeName = (header: string): string => {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(header) ?? [];
  if (charset.toLowerCase() === 'iso-8859-1') return percentBytes(encoded).toString('latin1');
  return textOf(charset ? percentBytes(encoded) : Buffer.from(header, 'latin1'), charset === '');
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes bytes as UTF-8, percent-decoded if the result is UTF-8 as well; otherwise as Latin-1. */
const textOf = (bytes: Buffer, encoded: boolean): string => {
  const plain = decodeOr(bytes, bytes.toString('latin1'));
  return encoded && isPercentEncoded(plain) ? decodeOr(percentBytes(plain), plain) : plain;
};

const decodeOr = (bytes: Buffer, other: string): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    return other;
  }
};

/** Whether every percent sign begins an escape: `100%.txt` is not percent-encoded. */
const isPercentEncoded = (text: string): boolean => text.includes('%') && !/%(?![\da-f]{2})/i.test(text);

const percentBytes = (text: string): Buffer =>
  Buffer.concat(
    text
      .split(/(%[\da-f]{2})/i)
      .map(part => (/^%[\da-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );

/** Control, separator, invisible and bidirectional formatting characters (UAX #9, section 2). */
const unsafe =
  /[\p{Noncharacter_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/**
 * The last segment of a path without unsafe characters, shortened to 255 bytes.
 * It is in Unicode normal form C.
 */
export const cleanName = (name: string): string => {
  const last = name.replace(unsafe, '').normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  // Windows drops trailing spaces and dots; `.` and `..` are not file names.
  return shorten(withoutTrailing(last.trim(), '. '));
};

/** Shortens a name's stem to fit the limit, without splitting characters, and keeps a short extension. */
const shorten = (name: string): string => {
  if (Buffer.byteLength(name) <= limit) return name;
  const [extension = ''] = /\.[^. ]{1,16}$/u.exec(name) ?? [];
  const room = limit - Buffer.byteLength(extension);
  let stem = '';
  let bytes = 0;
  for (const character of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    stem += character;
  }
  return `${stem.trimEnd()}${extension}`;
};
