/** Bytes of a name in UTF-8 at most. */
const limit = 255;

/**
 * A file's name from a header: RFC 8187 (`UTF-8''na%C3%AFve.pdf`), percent-encoded UTF-8, or bytes of UTF-8 or Latin-1 as they are;
 * cleaned, so that it is safe as a name in any folder. Empty: nothing of it is left.
 * @param header as Node gives it: a character for each byte
 */
export const readFileName = (header: string): string => cleanName(decodeName(header.trim()));

const decodeName = (header: string): string => {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[^']*'(.*)$/i.exec(header) ?? [];
  if (charset.toLowerCase() === 'iso-8859-1') return percentBytes(encoded).toString('latin1');
  return textOf(charset ? percentBytes(encoded) : Buffer.from(header, 'latin1'), charset === '');
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes as UTF-8, percent-decoded where that is UTF-8 as well; otherwise as Latin-1. */
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

/** No percent sign stands for itself: `100%.txt` is no encoded name. */
const isPercentEncoded = (text: string): boolean => text.includes('%') && !/%(?![\da-f]{2})/i.test(text);

const percentBytes = (text: string): Buffer =>
  Buffer.concat(
    text
      .split(/(%[\da-f]{2})/i)
      .map(part => (/^%[\da-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );

/** Controls, line and paragraph separators, and what changes the direction of the text around it (UAX #9, section 2) or is invisible. */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/** The last part of a path, without what is not seen or misleads, in normal form C, shortened to what a file system takes. */
export const cleanName = (name: string): string => {
  const last = name.replace(unsafe, '').normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  // Windows drops blanks and dots at the end; `.` and `..` are no names.
  return shorten(last.trim().replace(/[. ]+$/, ''));
};

/** Shortens a name's stem, whole characters at a time, and keeps a short extension. */
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
