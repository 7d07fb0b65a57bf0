import type { Json } from '../../core/call/reply.ts';
import type { Cell, Cells, Member, Representation } from '../../core/resource/representation.ts';
import type { FieldType } from '../../core/resource/resource.ts';
import type { ListingParts, Shape } from './format.ts';

/** Returns a plain value as pretty-printed JSON; lines after the first are indented by `depth` levels. */
export const encodeValue = (value: Json, depth = 0): string => indentLines(JSON.stringify(value, null, 2), depth);

/**
 * Returns records as pretty-printed JSON, directly from the database's strings; equals `encodeValue` of the decoded
 * records.
 */
export const encodeRepresentation = ({ many, members, records }: Representation, depth = 0): string => {
  if (many) return encodeMany(encoderOf(members, depth + 1), records, depth);
  const [record] = records;
  return record ? encoderOf(members, depth)(record) : 'null';
};

type RecordEncoder = (cells: Cells) => string;
type CellEncoder = (cell: Cell) => string;

const indents = ['', '  ', '    ', '      ', '        '];
const indentOf = (depth: number): string => indents[depth] ?? '  '.repeat(depth);

/** Every line break of JSON is between tokens: those in strings are escaped. */
const indentLines = (json: string, depth: number): string =>
  depth === 0 ? json : json.replaceAll('\n', `\n${indentOf(depth)}`);

/** Returns an encoder of a listing in parts; the result equals that of `encodeRepresentation`. */
export const jsonListing = ({ members }: Shape, depth: number): ListingParts =>
  partsOf(encoderOf(members, depth + 1), depth);

const partsOf = (encode: RecordEncoder, depth: number): ListingParts => {
  const inner = `\n${indentOf(depth + 1)}`;
  const first = `[${inner}`;
  let separator = first;
  return {
    begin: '',
    batch: records => {
      let json = '';
      for (const record of records) {
        json += separator + encode(record);
        separator = `,${inner}`;
      }
      return json;
    },
    end: () => (separator === first ? '[]' : `\n${indentOf(depth)}]`),
  };
};

const encodeMany = (encode: RecordEncoder, records: readonly Cells[], depth: number): string => {
  const { batch, end } = partsOf(encode, depth);
  return batch(records) + end();
};

/** Compiled encoders by members array and depth. */
const encoders = new WeakMap<readonly Member[], RecordEncoder[]>();

const encoderOf = (members: readonly Member[], depth: number): RecordEncoder => {
  let known = encoders.get(members);
  if (!known) {
    known = [];
    encoders.set(members, known);
  }
  known[depth] ??= compile(members, depth);
  return known[depth];
};

const compile = (members: readonly Member[], depth: number): RecordEncoder => {
  if (members.length === 0) return () => '{}';
  const parts = members.map((member, index): [prefix: string, encode: CellEncoder] => [
    `${index === 0 ? '{' : ','}\n${indentOf(depth + 1)}${JSON.stringify(member.name)}: `,
    'type' in member ? cellEncoder(member.type, depth + 1) : embedEncoder(member.members, member.many, depth + 1),
  ]);
  const end = `\n${indentOf(depth)}}`;
  return cells => {
    let json = '';
    let index = 0;
    for (const [prefix, encode] of parts) {
      const cell = cells[index++];
      json += prefix;
      json += cell === null || cell === undefined ? 'null' : encode(cell);
    }
    return json + end;
  };
};

const embedEncoder = (members: readonly Member[], many: boolean, depth: number): CellEncoder => {
  const encode = encoderOf(members, many ? depth + 1 : depth);
  return many ? cell => encodeMany(encode, cell as readonly Cells[], depth) : cell => encode(cell as Cells);
};

const cellEncoder = (type: FieldType, depth: number): CellEncoder => {
  switch (type) {
    case 'integer':
      return cell => cell as string;
    case 'number':
      return cell => encodeNumber(cell as string);
    case 'flag':
      return cell => (cell === 't' ? '1' : '0');
    case 'date_time':
      return cell => `"${(cell as string).slice(0, 10)}T${(cell as string).slice(11, -3)}Z"`;
    case 'date':
      return cell => `"${cell}"`;
    case 'text':
      return cell => encodeText(cell as string);
    case 'json':
      return encodeRepeated(depth);
  }
};

/** Indents JSON of the database for the response; caches the last one, as consecutive records often have the same. */
const encodeRepeated = (depth: number): CellEncoder => {
  let [last, json]: [Cell, string] = [null, ''];
  return cell => {
    if (cell !== last) [last, json] = [cell, encodeValue(JSON.parse(cell as string), depth)];
    return json;
  };
};

/** `12.50` → `12.5`; null for NaN and infinities, which a numeric column can hold and JSON cannot. */
export const encodeNumber = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  if (last > 57) return 'null';
  if (last !== 48 || !text.includes('.')) return text;
  return text.replace(/\.?0+$/, '');
};

/** Characters that need escaping in JSON; includes all surrogates, so that lone ones are escaped. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

const encodeText = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`);
