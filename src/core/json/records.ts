import { cachedBy } from '../cached.ts';
import { type Cell, type Cells, int32At } from '../resource/cells.ts';
import type { Member, Representation, Shape } from '../resource/representation.ts';
import { Output } from './output.ts';
import type { Json } from './value.ts';
import { compact, lineBreak, type ValueWriter, valueWriters } from './write-value.ts';

/** Returns a plain value as pretty-printed JSON; lines after the first are indented by `depth` levels. */
export const encodeValue = (value: Json, depth = 0): string => {
  const json = JSON.stringify(value, null, 2);
  // Every line break of JSON is between tokens: those in strings are escaped.
  return depth === 0 ? json : json.replaceAll('\n', lineBreak(depth));
};

/**
 * Returns records as JSON, written from the database's bytes.
 * Members of JSON values keep the database's order.
 * @param depth levels by which lines after the first are indented; `compact`: one line without blanks
 */
export const encodeRepresentation = ({ many, members, records }: Representation, depth = 0): Buffer => {
  const [record] = records;
  output.begin();
  if (many) listWriter(members, depth)(output, records);
  else if (record) writerOf(members, depth)(output, record);
  else output.text('null');
  return Buffer.from(output.take());
};

/** Returns records as plain values: an array, an object, or null for no record. */
export const decodeRecords = (representation: Representation): Json =>
  JSON.parse(encodeRepresentation(representation, compact).toString());

/** Returns each record as JSON in a line of its own (NDJSON). The next encoding overwrites the bytes. */
export const encodeLines = ({ members }: Shape, records: readonly Cells[]): Buffer => {
  const write = writerOf(members, compact);
  output.begin();
  for (const record of records) {
    write(output, record);
    output.byte(0x0a);
  }
  return output.take();
};

/** Where everything is written: each of the functions that take from it writes everything at once. */
const output = new Output();

type RecordWriter = (out: Output, record: Cells) => void;

/** Returns what encodes listings in parts, each once; the result equals that of `encodeRepresentation`. */
export const jsonListing = (depth: number) => {
  const inner = lineBreak(depth + 1);
  const [first, next, last] = [`[${inner}`, `,${inner}`, `${lineBreak(depth)}]`];
  return ({ members }: Shape) => {
    const write = writerOf(members, depth + 1);
    let separator = first;
    return {
      begin: '',
      batch: (records: readonly Cells[]): Buffer => {
        output.begin();
        for (const record of records) {
          output.text(separator);
          write(output, record);
          separator = next;
        }
        return output.take();
      },
      end: (): string => (separator === first ? '[]' : last),
    };
  };
};

const listWriter = (members: readonly Member[], depth: number) => {
  const write = writerOf(members, depth + 1);
  const inner = lineBreak(depth + 1);
  const end = `${lineBreak(depth)}]`;
  return (out: Output, records: readonly Cells[]): void => {
    for (const [index, record] of records.entries()) {
      out.text((index === 0 ? '[' : ',') + inner);
      write(out, record);
    }
    out.text(records.length === 0 ? '[]' : end);
  };
};

/** Compiled writers by members array and depth. */
const writersOf = cachedBy((_: readonly Member[]) => new Map<number, RecordWriter>());

const writerOf = (members: readonly Member[], depth: number): RecordWriter => {
  const known = writersOf(members);
  const writer = known.get(depth) ?? compile(members, depth);
  known.set(depth, writer);
  return writer;
};

/** Writes a value that is not in the record's bytes. */
type OwnWriter = (out: Output, own: Exclude<Cell, null>) => void;

const compile = (members: readonly Member[], depth: number): RecordWriter => {
  if (members.length === 0) return out => out.text('{}');
  const colon = depth === compact ? ':' : ': ';
  const parts = members.map((member, index) => ({
    prefix: Buffer.from(`${index === 0 ? '{' : ','}${lineBreak(depth + 1)}${JSON.stringify(member.name)}${colon}`),
    writeOwn:
      'type' in member ? stringWriter(valueWriters[member.type].text, depth + 1) : embedWriter(member, depth + 1),
  }));
  const end = Buffer.from(`${lineBreak(depth)}}`);
  let [known, writers] = [none, writersFor(members, none)];
  return (out, { bytes, start, binary, own }) => {
    if (binary !== known) [known, writers] = [binary, writersFor(members, binary)];
    let at = start;
    for (let index = 0; index < parts.length; index++) {
      const { prefix, writeOwn } = parts[index] as (typeof parts)[number];
      const write = writers[index];
      out.copy(prefix, 0, prefix.length);
      const given = index < own.length ? own[index] : undefined;
      const length = start < 0 ? -1 : int32At(bytes, at);
      at += 4;
      if (given) writeOwn(out, given);
      else if (given === '') out.text('""');
      else if (given === null || length < 0 || !write) out.copy(nothing, 0, nothing.length);
      else write(out, bytes, at, at + length, depth + 1);
      if (length > 0) at += length;
    }
    out.copy(end, 0, end.length);
  };
};

const none: Cells['binary'] = [];

/** The writers of the members, common to one result's records; null: an embedded record. */
const writersFor = (members: readonly Member[], binary: Cells['binary']): readonly (ValueWriter | null)[] =>
  members.map((member, index) => ('type' in member ? valueWriters[member.type][binary[index] ?? 'text'] : null));

const nothing = Buffer.from('null');
const stringWriter =
  (write: ValueWriter, depth: number): OwnWriter =>
  (out, own) => {
    const bytes = Buffer.from(own as string);
    write(out, bytes, 0, bytes.length, depth);
  };

const embedWriter = ({ many, members }: Extract<Member, { readonly many: boolean }>, depth: number): OwnWriter => {
  if (!many) return writerOf(members, depth) as OwnWriter;
  const write = listWriter(members, depth);
  return (out, own) => write(out, own as readonly Cells[]);
};
