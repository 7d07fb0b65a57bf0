import type { Json } from '../call/reply.ts';
import type { InUnits } from '../turns.ts';
import { endOfString } from './strict.ts';

/** An array or object that is not closed yet. */
interface Open {
  readonly opening: '[' | '{';
  /** Index of its bracket. */
  readonly start: number;
  /** Where its unparsed text begins: after its bracket, at a comma, or after a value parsed in parts. */
  from: number;
  /** The bounds of its last string: of the member's name, if a bracket follows. */
  name: readonly [start: number, end: number];
  /** What is parsed of it; null: nothing yet. */
  value: Json[] | Record<string, Json> | null;
}

const closings = { '[': ']', '{': '}' } as const;
const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text);

/**
 * Parses the text of one JSON object in parts of about `size` characters, and yields after each part.
 * A mebibyte at once can take 200 ms.
 * @param text without objects that have the same member twice
 * @returns the value that JSON.parse returns @throws SyntaxError where JSON.parse does, and if the value is not an object
 */
export function* parseInParts(text: string, size = 16_384): InUnits<Json> {
  const open: Open[] = [];
  for (let index = text.search(/[^ \t\n\r]/); index < text.length; index++) {
    const character = text[index];
    const container = open.at(-1);
    if (!container && character !== '{') break;
    if (character === '"') {
      const end = endOfString(text, index);
      (container as Open).name = [index, end];
      index = end;
    } else if (character === '[' || character === '{') {
      open.push({ opening: character, start: index, from: index + 1, name: [0, 0], value: null });
    } else if (character === ',' && container && index - container.from >= size) {
      yield* takeAround(text, open);
      if (container.value === null && isBlank(text.slice(container.from, index))) break;
      take(container, text.slice(container.from, index));
      container.from = index;
      yield;
    } else if (character === ']' || character === '}') {
      const closed = open.pop() as Open;
      const outer = open.at(-1);
      if (character !== closings[closed.opening]) break;
      // A short value is parsed within the one around it.
      if (outer && closed.value === null) continue;
      take(closed, text.slice(closed.from, index));
      if (outer) close(text, outer, closed.value, index + 1);
      else if (isBlank(text.slice(index + 1))) return closed.value;
      else break;
    }
  }
  throw new SyntaxError('The string is not a JSON object.');
}

/** Parses what surrounds a value that is parsed in parts; null takes its place until it is closed. */
function* takeAround(text: string, open: readonly Open[]): InUnits<void> {
  for (const [depth, { start, value }] of open.entries()) {
    const outer = open[depth - 1];
    if (!outer || value !== null) continue;
    take(outer, `${text.slice(outer.from, start)}null`);
    yield;
  }
}

/** Puts a value that is parsed in parts into its place in the one around it. */
const close = (text: string, outer: Open, value: Json, from: number): void => {
  if (Array.isArray(outer.value)) outer.value[outer.value.length - 1] = value;
  else define(outer.value as Record<string, Json>, JSON.parse(text.slice(outer.name[0], outer.name[1] + 1)), value);
  outer.from = from;
};

/** Parses a part of a value: its first one, or one that begins with a comma, or blanks. */
const take = (open: Open, text: string): void => {
  const { opening, value } = open;
  if (value === null) {
    open.value = JSON.parse(`${opening}${text}${closings[opening]}`);
    return;
  }
  if (isBlank(text)) return;
  const rest = text.replace(/^[ \t\n\r]*,/, '');
  if (rest === text || isBlank(rest)) throw new SyntaxError('A comma or a value is missing.');
  const part = JSON.parse(`${opening}${rest}${closings[opening]}`);
  if (Array.isArray(value)) for (const item of part) value.push(item);
  else for (const name in part) define(value, name, part[name]);
};

/** As JSON.parse does: `__proto__` is a member like any other. */
const define = (object: Record<string, Json>, name: string, value: Json): void => {
  if (name === '__proto__') Object.defineProperty(object, name, { value, ...ordinary });
  else object[name] = value;
};
const ordinary = { writable: true, enumerable: true, configurable: true };
