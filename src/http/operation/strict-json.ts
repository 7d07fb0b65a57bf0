/** Why a text is refused before it is parsed: deeper than allowed, or an object that names a member twice. */
export type Objection = 'depth' | 'duplicate';

/**
 * Walks a JSON text once, without recursion. Texts that are not JSON are walked too: that they are not, the parser will say.
 * Duplicate members are refused since readers differ in which one they take.
 */
export const objectionTo = (json: string, depth: number): Objection | null => {
  /** The names seen in each open object; null: an open array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case 0x22: {
        const end = endOfText(json, index);
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

/** The index of the closing quotation mark of the text that opens at `start`. */
const endOfText = (json: string, start: number): number => {
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
