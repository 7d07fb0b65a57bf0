import type { Json } from '../../../core/call/reply.ts';
import { int32At } from '../../../core/resource/binary.ts';
import type { Cell, Cells } from '../../../core/resource/cells.ts';
import type { Member, Representation } from '../../../core/resource/representation.ts';
import type { ListingParts, Shape } from '../formats.ts';
import { Output } from './output.ts';
import { type ValueWriter, valueWriters } from './values.ts';

/** Returns a plain value as pretty-printed JSON; lines after the first are indented by `depth` levels. */
export const encodeValue = (value: Json, depth = 0): string => {
  const json = JSON.stringify(value, null, 2);
  // Every line break of JSON is between tokens: those in strings are escaped.
  return depth === 0 ? json : json.replaceAll('\n', `\n${indentOf(depth)}`);
};

const indentOf = (depth: number): string => '  '.repeat(depth);

/**
 * Returns records as pretty-printed JSON, directly from the database's bytes, without strings in between; equals `encodeValue` of the
 * decoded records, but for the order of members in JSON values.
 */
export const encodeRepresentation = ({ many, members, records }: Representation, depth = 0): Buffer => {
  const [record] = records;
  output.begin();
  if (many) listWriter(members, depth)(output, records);
  else if (record) writerOf(members, depth)(output, record);
  else output.text('null');
  return Buffer.from(output.take());
};

/** Where everything is written: each of the functions that take from it writes everything at once. */
const output = new Output();

type RecordWriter = (out: Output, record: Cells) => void;

/** Returns an encoder of a listing in parts; the result equals that of `encodeRepresentation`. */
export const jsonListing = ({ members }: Shape, depth: number): Omit<ListingParts, 'batch'> & JsonBatch => {
  const write = writerOf(members, depth + 1);
  const inner = `\n${indentOf(depth + 1)}`;
  const first = `[${inner}`;
  let separator = first;
  return {
    begin: '',
    batch: records => {
      output.begin();
      for (const record of records) {
        output.text(separator);
        write(output, record);
        separator = `,${inner}`;
      }
      return output.take();
    },
    end: () => (separator === first ? '[]' : `\n${indentOf(depth)}]`),
  };
};

interface JsonBatch {
  batch(records: readonly Cells[]): Buffer;
}

const listWriter = (members: readonly Member[], depth: number) => {
  const write = writerOf(members, depth + 1);
  const inner = `\n${indentOf(depth + 1)}`;
  const end = `\n${indentOf(depth)}]`;
  return (out: Output, records: readonly Cells[]): void => {
    for (const [index, record] of records.entries()) {
      out.text((index === 0 ? '[' : ',') + inner);
      write(out, record);
    }
    out.text(records.length === 0 ? '[]' : end);
  };
};

/** Compiled writers by members array and depth. */
const writers = new WeakMap<readonly Member[], RecordWriter[]>();

const writerOf = (members: readonly Member[], depth: number): RecordWriter => {
  const known = writers.get(members) ?? [];
  writers.set(members, known);
  known[depth] ??= compile(members, depth);
  return known[depth];
};

/** Writes a value that is not in the record's bytes. */
type OwnWriter = (out: Output, own: Exclude<Cell, null>) => void;

const compile = (members: readonly Member[], depth: number): RecordWriter => {
  if (members.length === 0) return out => out.text('{}');
  const parts = members.map((member, index) => ({
    prefix: Buffer.from(`${index === 0 ? '{' : ','}\n${indentOf(depth + 1)}${JSON.stringify(member.name)}: `),
    writeOwn:
      'type' in member ? stringWriter(valueWriters[member.type].text, depth + 1) : embedWriter(member, depth + 1),
  }));
  const end = Buffer.from(`\n${indentOf(depth)}}`);
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

/** The writers of the members, which the values of records of one result have in common; null: an embedded record, which is not in the bytes. */
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
  if (!many) return (out, own) => writerOf(members, depth)(out, own as Cells);
  const write = listWriter(members, depth);
  return (out, own) => write(out, own as readonly Cells[]);
};
