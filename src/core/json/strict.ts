import { isExact } from '../numbers.ts';
import type { InUnits } from '../turns.ts';

/** Why JSON is rejected before it is parsed: too deep, or an object with a duplicate member. */
export type JsonDefect = 'depth' | 'duplicate';

/** Characters after which a pass over a text yields. */
const stretch = 32_768;

/**
 * Returns the first defect of a JSON text, in one pass without recursion that yields regularly.
 * Invalid JSON is left for the parser to reject. Duplicate members are rejected because parsers differ in which one they use.
 */
export function* findJsonDefect(json: string, depth: number): InUnits<JsonDefect | null> {
  /** The member names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  let next = stretch;
  for (let index = 0; index < json.length; index++) {
    if (index >= next) {
      next = index + stretch;
      yield;
    }
    switch (json.charCodeAt(index)) {
      case 0x22: {
        const end = endOfString(json, index);
        const names = open.at(-1);
        if (expectsName && names) {
          const name = nameOf(json.slice(index, end + 1));
          if (names.has(name)) return 'duplicate';
          names.add(name);
          expectsName = false;
        }
        index = end;
        break;
      }
      case 0x7b:
        open.push(new Set());
        expectsName = true;
        break;
      case 0x5b:
        open.push(null);
        expectsName = false;
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        expectsName = false;
        break;
      case 0x2c:
        expectsName = open.at(-1) instanceof Set;
        break;
    }
    if (open.length > depth) return 'depth';
  }
  return null;
}

/**
 * Returns the JSON text with numbers that parsing would change, such as `1e-400`, made infinite.
 * Validation then rejects them as out of range. Yields regularly.
 */
export function* markInexactNumbers(json: string): InUnits<string> {
  if (!/[\d.]{15}|\de/i.test(json)) return json;
  let marked = '';
  let copied = 0;
  let next = stretch;
  for (let index = 0; index < json.length; index++) {
    if (index >= next) {
      next = index + stretch;
      yield;
    }
    const code = json.charCodeAt(index);
    if (code === 0x22) index = endOfString(json, index);
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      numeral.lastIndex = index;
      const [text = ''] = numeral.exec(json) ?? [];
      if (number.test(text) && !isExact(text)) {
        marked += `${json.slice(copied, index)}1e999`;
        copied = index + text.length;
      }
      index += Math.max(text.length - 1, 0);
    }
  }
  return marked + json.slice(copied);
}

const numeral = /[-+.\de]+/iy;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Returns the index of the closing quotation mark of the string that begins at `start`. */
export const endOfString = (json: string, start: number): number => {
  let index = start + 1;
  while (index < json.length && json.charCodeAt(index) !== 0x22) index += json.charCodeAt(index) === 0x5c ? 2 : 1;
  return index;
};

const nameOf = (text: string): string => {
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
};
