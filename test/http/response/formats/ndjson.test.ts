import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeRepresentation } from '../../../../src/core/json/records.ts';
import { Cells } from '../../../../src/core/resource/cells.ts';
import type { Representation } from '../../../../src/core/resource/representation.ts';
import { ndjson } from '../../../../src/http/response/formats/ndjson.ts';
import { readNdjson } from '../../../support/listings.ts';

const shape: Omit<Representation, 'records'> = {
  plural: 'clients',
  singular: 'client',
  many: true,
  members: [
    { name: 'id', type: 'integer' },
    { name: 'event.name', type: 'text' },
    { name: 'amount', type: 'number' },
    { name: 'start', type: 'date_time' },
    { name: 'active', type: 'flag' },
    { name: 'data', type: 'json' },
    { name: 'contacts', many: true, singular: 'contact', members: [{ name: 'id', type: 'integer' }] },
    { name: 'event', many: false, singular: 'event', members: [{ name: 'id', type: 'integer' }] },
  ],
};
const records: readonly Cells[] = [
  Cells.of(
    '1',
    'a\n"b"\r\u2028\u0085',
    '12.50',
    '2026-04-01 12:00:00+00',
    't',
    '{"a": "x\\ny", "__proto__": 1}',
    [Cells.of('7'), Cells.of('8')],
    Cells.of('9'),
  ),
  Cells.of('2', null, 'NaN', null, 'f', null, [], null),
];

const write = (batches: readonly (readonly Cells[])[]): string => {
  const { begin, batch, end } = ndjson.listing(shape, { defuseCsv: true });
  return begin + batches.map(records => String(batch(records))).join('') + end();
};

describe('NDJSON', () => {
  it('has a line for each record, embedded ones inside, with the data that JSON has', () => {
    const text = write([records]);
    assert.equal(text.split('\n').length, 3);
    assert.deepEqual(readNdjson(text), JSON.parse(encodeRepresentation({ ...shape, records }).toString()));
  });

  it('is the same in batches, and empty without records', () => {
    assert.equal(write(records.map(record => [record])), write([records]));
    assert.equal(write([]), '');
  });
});
