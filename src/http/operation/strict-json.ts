/** Why JSON is rejected before it is parsed: nested deeper than allowed, or an object with a duplicate member. */
export type JsonDefect = 'depth' | 'duplicate';

/**
 * Returns the first defect of a JSON text, in one pass without recursion. Invalid JSON is left for the parser to
 * reject. Duplicate members are rejected because parsers differ in which one they use.
 */
export const findJsonDefect = (json: string, depth: number): JsonDefect | null => {
  /** The member names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let index = 0; index < json.length; index++) {
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
};

/** Returns the index of the closing quotation mark of the string that begins at `start`. */
const endOfString = (json: string, start: number): number => {
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
