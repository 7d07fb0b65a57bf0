import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { parseRows } from '../../src/imports/csv.ts';
import { type ContentRecord, splitRecords } from '../../src/imports/records.ts';

const begin = { position: 0, lines: 0 };
const delimiters = [',', ';'] as const;

async function* chunked(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let from = 0, index = 0; from < bytes.length; index++) {
    const size = sizes.length > 0 ? (sizes[index % sizes.length] as number) : bytes.length;
    yield bytes.subarray(from, from + size);
    from += size;
  }
}

const split = async (
  content: Buffer,
  { delimiter = null, sizes = [], limit, from = begin }: Partial<Given> = {},
): Promise<ContentRecord[]> => {
  const records: ContentRecord[] = [];
  const code = delimiter === null ? null : delimiter.charCodeAt(0);
  const chunks = chunked(content.subarray(from.position), sizes);
  for await (const record of splitRecords(chunks, from, code, limit)) records.push(record);
  return records;
};

interface Given {
  readonly delimiter: ',' | ';' | null;
  readonly sizes: readonly number[];
  readonly limit: number;
  readonly from: { readonly position: number; readonly lines: number };
}

const textOf = ({ bytes }: ContentRecord): string => String(bytes);
/** Cells with what is special in CSV, more often than not. */
const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\n', '\r', 'ä', ' ') }),
);
const table = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 12 }))
  .map(([width, rows]) => rows.map(row => row.slice(0, width).map(text => text.toWellFormed())));
const chunkSizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });

describe('the records of content', () => {
  it('are the rows of any CSV, wherever its chunks end, and continue from the end of each of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        chunkSizes,
        fc.constantFrom(...delimiters),
        fc.constantFrom('\r\n' as const, '\n' as const),
        fc.nat(),
        async (rows, sizes, delimiter, end, place) => {
          const options = { delimiter, record_delimiter: end, quoted_empty: true, quoted_match: /[\r\n]/ };
          const content = Buffer.from(stringify(rows, options));
          const records = await split(content, { delimiter, sizes });
          const cells = parseRows(
            records.map(({ bytes }) => bytes ?? Buffer.alloc(0)),
            delimiter,
          );
          assert.deepEqual(
            cells,
            rows.map(cells => ({ cells })),
          );
          const after = records[place % Math.max(records.length, 1)];
          if (!after) return;
          const rest = await split(content, { delimiter, from: after.end });
          assert.deepEqual(rest.map(textOf), records.slice(records.indexOf(after) + 1).map(textOf));
          assert.deepEqual(
            rest.map(({ line }) => line),
            records.slice(records.indexOf(after) + 1).map(({ line }) => line),
          );
        },
      ),
    );
  });

  it('are the lines of any text, without empty ones, each with its number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.stringMatching(/^[a"{}\r,]{0,5}$/)), chunkSizes, async (lines, sizes) => {
        const records = await split(Buffer.from(lines.map(line => `${line}\n`).join('')), { sizes });
        const wanted = lines
          .map((line, index) => [index + 1, line.replace(/\r$/, '')])
          .filter(([, line]) => line !== '');
        assert.deepEqual(
          records.map(record => [record.line, textOf(record)]),
          wanted,
        );
      }),
    );
  });

  it('are those before a line that is too long, that line without its bytes, and those after it', async () => {
    const content = Buffer.from(`one\n${'x'.repeat(11)}\n${'y'.repeat(10)}\nlast`);
    const records = await split(content, { limit: 10, sizes: [4] });
    assert.deepEqual(
      records.map(({ line, bytes }) => [line, bytes && String(bytes)]),
      [
        [1, 'one'],
        [2, null],
        [3, 'y'.repeat(10)],
        [4, 'last'],
      ],
    );
    assert.equal(records.at(-1)?.end.position, content.length);
  });

  it('end with one that is open if a quote is never closed, whatever follows it', async () => {
    const records = await split(Buffer.from('a,b\n1,"open\n2,c\n3,d\n'), { delimiter: ',' });
    assert.deepEqual(
      records.map(({ line, open }) => [line, open]),
      [
        [1, false],
        [2, true],
      ],
    );
  });

  it('end at the next line if a quote is inside of a cell that does not begin with one', async () => {
    const records = await split(Buffer.from('5" pipe,1\nnext,2\n'), { delimiter: ',' });
    assert.deepEqual(records.map(textOf), ['5" pipe,1', 'next,2']);
  });
});

describe('rows of CSV', () => {
  it('that are malformed leave the others of their batch as they are', () => {
    const rows = ['a,b', '"a"b,c', 'c"d,"e"', '"ok ""x""",', 'last,1'].map(text => Buffer.from(text));
    const parsed = parseRows([...rows, Buffer.from([0x61, 0xff])], ',');
    assert.deepEqual(
      parsed.map(row => ('cells' in row ? row.cells : row.error.code)),
      [['a', 'b'], 'invalid_format', 'invalid_format', ['ok "x"', ''], ['last', '1'], 'invalid_character'],
    );
  });
});
