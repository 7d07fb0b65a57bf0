import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  decodeRecords,
  encodeLines,
  encodeRepresentation,
  encodeValue,
  jsonListing,
} from '../../../src/core/json/records.ts';
import type { Json } from '../../../src/core/json/value.ts';
import { compact } from '../../../src/core/json/write-value.ts';
import { type Binary, type Cell, Cells } from '../../../src/core/resource/cells.ts';
import { decode } from '../../../src/core/resource/codec.ts';
import { type Member, type Representation, revived } from '../../../src/core/resource/representation.ts';
import type { FieldType } from '../../../src/core/resource/resource.ts';

const two = (n: number) => String(n).padStart(2, '0');
const day = fc.tuple(
  fc.integer({ min: 1000, max: 9999 }),
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 28 }),
);
const date = day.map(([y, m, d]) => `${y}-${two(m)}-${two(d)}`);

/** Members with the name of an array index, too, JavaScript lists before all others. */
const hasNoIndexes = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true;
  const members = Array.isArray(value) ? [] : Object.keys(value);
  return !members.some(key => /^\d+$/.test(key)) && Object.values(value).every(hasNoIndexes);
};

/** Texts as Postgres sends them in a UTC session. */
const texts: Record<FieldType, fc.Arbitrary<string>> = {
  integer: fc.maxSafeInteger().map(String),
  number: fc
    .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 0, max: 99 }))
    .map(([whole, cents]) => `${whole}.${two(cents)}`),
  flag: fc.constantFrom('t', 'f'),
  text: fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }).map(text => text.toWellFormed()),
    fc.constantFrom('\u2028', '"\\\n\t\0\u001f\u007f', '😀', '</script>'),
  ),
  date,
  date_time: fc
    .tuple(date, fc.integer({ min: 0, max: 59 }))
    .map(([d, n]) => `${d} ${two(n % 24)}:${two(n)}:${two(n)}+00`),
  json: fc
    .tuple(fc.jsonValue({ noUnicodeString: false }).filter(hasNoIndexes), fc.constantFrom(undefined, 1, '\t'))
    .map(([value, space]) => JSON.stringify(value, null, space)),
};

/** Not an array index: those JavaScript lists before all other members. */
const name = fc.string({ unit: 'grapheme' }).map(text => `.${text}`);

const column = fc
  .tuple(name, fc.constantFrom(...(Object.keys(texts) as FieldType[])))
  .map(([name, type]): Member => ({ name, type }));

const embed = fc
  .tuple(name, fc.boolean(), fc.uniqueArray(column, { selector: ({ name }) => name, maxLength: 4 }))
  .map(([name, many, members]): Member => ({ name, many, singular: 'x', members }));

const cellOf = (member: Member): fc.Arbitrary<Cell> => {
  if ('type' in member) return fc.option(texts[member.type]);
  const record = cellsOf(member.members);
  return member.many ? fc.array(record, { maxLength: 3 }) : fc.option(record);
};
/** A record whose fields are bytes as the database sends them, with some replaced, or with all values its own. */
const cellsOf = (members: readonly Member[]): fc.Arbitrary<Cells> =>
  fc
    .tuple(fc.tuple(...members.map(cellOf)), fc.array(fc.boolean()), fc.boolean(), fc.boolean())
    .map(([cells, some, isOwn, isBinary]) => {
      if (isOwn) return Cells.of(...cells);
      const isSent = members.map((member, index) => 'type' in member && !some[index]);
      const binary = members.map((member, index) =>
        'type' in member && isSent[index] && isBinary ? binaryOf[member.type] : undefined,
      );
      return cells.reduce(
        (record: Cells, cell, index) => (isSent[index] ? record : record.with(index, cell)),
        recordOf(
          cells.map((cell, index) => (isSent[index] ? cell : 'replaced')),
          binary,
        ),
      );
    });

/** What the database may send in its binary format. */
const binaryOf: Partial<Record<FieldType, Binary>> = { integer: 'integer', date_time: 'instant' };
const bytesOf: Record<Binary, (text: string) => bigint> = {
  integer: BigInt,
  instant: text => 1000n * BigInt(Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) - Date.UTC(2000)),
};

/** A row as the database sends it, between others. */
const recordOf = (cells: readonly Cell[], binary: Cells['binary'] = []): Cells => {
  const parts = cells.flatMap((cell, index) => {
    const sent = cell === null ? null : sentAs(cell as string, binary[index]);
    const length = Buffer.alloc(4);
    length.writeInt32BE(sent ? sent.length : -1);
    return sent ? [length, sent] : [length];
  });
  const count = Buffer.from([cells.length >> 8, cells.length & 255]);
  return new Cells(Buffer.concat([Buffer.from('before'), count, ...parts, Buffer.from('behind')]), 8, binary);
};

const sentAs = (text: string, binary: Binary | undefined): Buffer => {
  if (!binary) return Buffer.from(text);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(bytesOf[binary](text));
  return bytes;
};

const representation = fc
  .uniqueArray(fc.oneof({ weight: 3, arbitrary: column }, embed), { selector: ({ name }) => name, maxLength: 8 })
  .chain(members =>
    fc.record({
      plural: fc.constant('xs'),
      singular: fc.constant('x'),
      many: fc.boolean(),
      members: fc.constant(members),
      records: fc.array(cellsOf(members), { maxLength: 4 }),
    }),
  );

/** The records by the conversion of single columns, with objects in between. */
const plainOf = ({ many, members, records }: Omit<Representation, 'singular' | 'plural'>): Json => {
  if (!many) return records[0] ? plainRecord(members, records[0]) : null;
  return records.map(record => plainRecord(members, record));
};
const plainRecord = (members: readonly Member[], cells: Cells): Json =>
  Object.fromEntries(
    members.map((member, index) => {
      const cell = cells.at(index);
      if ('type' in member) return [member.name, decode(member.type, cell as string | null)];
      if (cell === null) return [member.name, null];
      return [member.name, plainOf({ ...member, records: [cell].flat() as readonly Cells[] })];
    }),
  );

const of = (type: FieldType, text: string | null): string =>
  encodeRepresentation({
    ...{ plural: 'xs', singular: 'x', many: false, members: [{ name: 'x', type }] },
    records: [recordOf([text])],
  }).toString();

describe('encodeRepresentation', () => {
  it('writes what JSON.stringify makes of the decoded records, at any depth and in one line', () => {
    fc.assert(
      fc.property(representation, fc.integer({ min: 0, max: 2 }), (given: Representation, depth) => {
        const plain = JSON.stringify(plainOf(given), null, 2);
        const indented = plain.replaceAll('\n', `\n${'  '.repeat(depth)}`);
        assert.equal(encodeRepresentation(given, depth).toString(), indented);
        const written = revived(JSON.parse(JSON.stringify(given)));
        assert.equal(encodeRepresentation(written, depth).toString(), indented);
        assert.equal(encodeValue(plainOf(given), depth), indented);
        const lines = given.records.map(
          record => `${JSON.stringify(plainOf({ ...given, many: false, records: [record] }))}\n`,
        );
        assert.equal(encodeLines(given, given.records).toString(), lines.join(''));
        assert.equal(encodeRepresentation(given, compact).toString(), JSON.stringify(plainOf(given)));
        assert.deepEqual(decodeRecords(given), JSON.parse(plain));
      }),
      { numRuns: 1000 },
    );
  });

  const cases: [type: FieldType, text: string | null, want: string][] = [
    ['integer', '9007199254740993', '9007199254740993'],
    ['number', '12.50', '12.5'],
    ['number', '12.00', '12'],
    ['number', '100', '100'],
    ['number', '0.00', '0'],
    ['number', '-0.05', '-0.05'],
    ['number', 'NaN', 'null'],
    ['number', '-Infinity', 'null'],
    ['flag', 't', '1'],
    ['flag', 'f', '0'],
    ['text', '', '""'],
    ['text', null, 'null'],
    ['date', '2026-04-01', '"2026-04-01"'],
    ['date_time', '2026-04-01 12:00:00+00', '"2026-04-01T12:00:00Z"'],
    ['json', '[]', '[]'],
    ['json', '{}', '{}'],
    ['json', ' 1.50 ', '1.5'],
    ['json', '0.0000001', '1e-7'],
    ['json', '-0', '0'],
    ['json', '12345678901234567890', '12345678901234567000'],
    ['json', '1e999', 'null'],
    ['json', '"\\u0041\\/\\u00e9"', '"A/é"'],
    ['json', '"\\u001f\\\\\\""', '"\\u001f\\\\\\""'],
    [
      'json',
      '{"a":[ 1, {"b" : null}, [] ]}',
      '{\n    "a": [\n      1,\n      {\n        "b": null\n      },\n      []\n    ]\n  }',
    ],
  ];
  for (const [type, text, want] of cases) {
    it(`writes the ${type} ${text} as ${want}`, () => assert.equal(of(type, text), `{\n  "x": ${want}\n}`));
  }

  it('keeps a record of many clients apart from those of the same shape at another depth', () => {
    const members: Member[] = [{ name: 'id', type: 'integer' }];
    const given = { plural: 'xs', singular: 'x', members, records: [recordOf(['1'])] };
    assert.equal(encodeRepresentation({ ...given, many: true }).toString(), '[\n  {\n    "id": 1\n  }\n]');
    assert.equal(encodeRepresentation({ ...given, many: false }).toString(), '{\n  "id": 1\n}');
    assert.equal(encodeRepresentation({ ...given, many: false, records: [] }).toString(), 'null');
  });

  it('writes nothing of what has failed before', () => {
    const broken = '["of another", "\\u00"]';
    assert.throws(() => of('json', broken), SyntaxError);
    assert.equal(of('integer', '1'), '{\n  "x": 1\n}');
    assert.throws(() => of('json', broken), SyntaxError);
    const members: Member[] = [{ name: 'x', type: 'integer' }];
    const listing = jsonListing(0)({ plural: 'xs', singular: 'x', many: true, members });
    assert.equal(listing.batch([recordOf(['1'])]) + listing.end(), '[\n  {\n    "x": 1\n  }\n]');
  });
});
