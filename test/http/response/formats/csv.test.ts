import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Cell, Cells } from '../../../../src/core/resource/cells.ts';
import type { Member } from '../../../../src/core/resource/representation.ts';
import type { FieldType } from '../../../../src/core/resource/resource.ts';
import { unescapeFormula } from '../../../../src/core/spreadsheet.ts';
import { csv } from '../../../../src/http/response/formats/csv.ts';
import { readCsv } from '../../../support/listings.ts';

const write = (members: readonly Member[], records: readonly (readonly Cell[])[], defuseCsv = true): string => {
  const shape = { plural: 'clients', singular: 'client', many: true, members };
  const { begin, batch, end } = csv.listing(shape, { defuseCsv });
  return begin + records.map(record => batch([Cells.of(...record)])).join('') + end();
};
const texts = (...names: string[]): Member[] => names.map(name => ({ name, type: 'text' }));

describe('CSV', () => {
  it('is a row of names and a row for each record, with CRLF behind each', () => {
    const members = texts('id', 'event.name');
    const records = [
      ['1', 'A'],
      ['2', null],
    ];
    assert.equal(write(members, records), 'id,event.name\r\n1,A\r\n2,\r\n');
    assert.equal(write(members, []), 'id,event.name\r\n');
  });

  const cells: [type: FieldType, cell: Cell, want: string][] = [
    ['integer', '-7', '-7'],
    ['integer', '9007199254740993', '9007199254740993'],
    ['number', '12.50', '12.5'],
    ['number', '-0.00000001', '-0.00000001'],
    ['number', 'NaN', ''],
    ['flag', 't', '1'],
    ['flag', 'f', '0'],
    ['date', '2026-04-01', '2026-04-01'],
    ['date_time', '2026-04-01 12:00:00+00', '2026-04-01T12:00:00Z'],
    ['json', '{"a": [1, null]}', '"{""a"":[1,null]}"'],
    ['json', '[]', '[]'],
    ['json', 'null', ''],
    ['text', 'a,b', '"a,b"'],
    ['text', 'a "b"', '"a ""b"""'],
    ['text', 'a\nb', '"a\nb"'],
    ['text', 'a\rb', '"a\rb"'],
    ['text', ' a ', ' a '],
    ['text', '', ''],
    ['text', null, ''],
  ];
  for (const [type, cell, want] of cells)
    it(`has ${JSON.stringify(cell)} of type ${type} as ${JSON.stringify(want)}`, () => {
      assert.equal(write([{ name: 'a', type }, ...texts('b')], [[cell, 'x']]), `a,b\r\n${want},x\r\n`);
    });

  it('leaves embedded records out', () => {
    const members: Member[] = [
      { name: 'contacts', many: true, singular: 'contact', members: texts('id') },
      { name: 'id', type: 'integer' },
      { name: 'event', many: false, singular: 'event', members: texts('id') },
    ];
    assert.equal(write(members, [[[Cells.of('1')], '7', Cells.of('2')]]), 'id\r\n7\r\n');
  });

  it('has quotes where a row would be an empty line', () => {
    assert.equal(write(texts('a'), [[null], ['x'], ['']]), 'a\r\n""\r\nx\r\n""\r\n');
  });

  const formulas: [cell: string, want: string][] = [
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['+', "'+"],
    ['-', "'-"],
    ['+cmd', "'+cmd"],
    ['-(1)', "'-(1)"],
    ['--1', "'--1"],
    ['=a,"b"', `"'=a,""b"""`],
    ['-1+cmd|calc', "'-1+cmd|calc"],
    ['+1-2', "'+1-2"],
    ['-5\n=1', `"'-5\n=1"`],
    ['-5', '-5'],
    ['-5.25', '-5.25'],
    ['-1e-7', '-1e-7'],
    ['+49 30 1', '+49 30 1'],
    // Import takes one apostrophe away.
    ["'=1", "''=1"],
    ["'a", "'a"],
    [' =1', ' =1'],
    ['a=1', 'a=1'],
  ];
  for (const [cell, want] of formulas)
    it(`has ${JSON.stringify(cell)} as ${JSON.stringify(want)}`, () => {
      assert.equal(write(texts('a', 'b'), [[cell, 'x']]), `a,b\r\n${want},x\r\n`);
    });

  it('changes no cell where the operator says so', () => {
    assert.equal(write(texts('a', 'b'), [['=1', '-x']], false), 'a,b\r\n=1,-x\r\n');
  });

  it('is read back as it was, whatever texts there are', () => {
    const unit = fc.constantFrom(...'",\r\n=+-@\t\'; ä\u2028😀\ufeff1');
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit }));
    const rowOf = (width: number) => fc.array(text, { minLength: width, maxLength: width });
    const rows = fc.integer({ min: 1, max: 4 }).chain(width => fc.array(rowOf(width), { maxLength: 5 }));
    fc.assert(
      fc.property(rows, records => {
        const names = (records[0] ?? ['']).map((_, index) => `field_${index}`);
        assert.deepEqual(readCsv(write(texts(...names), records, false)), [names, ...records]);
        const [, ...defused] = readCsv(write(texts(...names), records));
        assert.deepEqual(
          defused.map(row => row.map(unescapeFormula)),
          records,
        );
        for (const cell of defused.flat()) assert.doesNotMatch(cell, /^([=@\t\r]|[+-](?!\d[\d .,]*(e[+-]?\d+)?$))/i);
      }),
    );
  });
});
