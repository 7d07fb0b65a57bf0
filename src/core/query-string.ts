import type { Parameter } from './parameter.ts';

/**
 * The parameters of a raw query string (without `?`), decoded, in order; null if a part is not valid percent-encoded UTF-8 or
 * holds a NUL. A `+` is a blank. Names keep a trailing `[]`.
 */
export const parseQueryString = (raw: string): readonly Parameter[] | null => {
  const parameters: Parameter[] = [];
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const split = pair.indexOf('=');
    const name = decode(split < 0 ? pair : pair.slice(0, split));
    const value = split < 0 ? '' : decode(pair.slice(split + 1));
    if (name === null || value === null) return null;
    parameters.push([name, value]);
  }
  return parameters;
};

const plain = /^[!$&-*,-~]*$/;

const decode = (text: string): string | null => {
  if (plain.test(text)) return text;
  try {
    // Bytes that a client did not escape reach us as Latin-1: escaped, they are decoded with the others.
    const escaped = text
      .replaceAll('+', ' ')
      .replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`);
    const decoded = decodeURIComponent(escaped);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
};
