import type { Parameter } from '../../core/call/parameter.ts';

/**
 * Parses a raw query string (without `?`) into its decoded parameters, in order.
 * Null if a name or value is not percent-encoded UTF-8 or contains a NUL character. A `+` is a space. Names keep a trailing
 * `[]`.
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
    // Node.js returns bytes that the client did not escape as Latin-1 characters: escape them, to decode them as UTF-8.
    const escaped = text
      .replaceAll('+', ' ')
      .replace(/[\u0080-\u00ff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`);
    const decoded = decodeURIComponent(escaped);
    return decoded.includes('\0') ? null : decoded;
  } catch {
    return null;
  }
};
