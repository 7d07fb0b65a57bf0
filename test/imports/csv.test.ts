import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { resources } from '../../generated/resources.ts';
import { Cells } from '../../src/core/resource/cells.ts';
import { fieldsOf } from '../../src/core/resource/fields.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { csv } from '../../src/http/response/formats/csv.ts';
import { bodyOf, columnsOf, findHeaderErrors, parseHeader, parseRows } from '../../src/imports/csv.ts';
import { splitRecords } from '../../src/imports/records.ts';

const table: Readonly<Record<string, Resource>> = resources;
const options = { defused: true, depth: 64 };

/** Returns the bodies that are read from rows of CSV, and the codes and fields of the header's errors. */
const read = (resource: Resource, text: string, defused = true) => {
  const [first = '', ...rows] = text.split('\n').filter(row => row !== '');
  const header = parseHeader(Buffer.from(first));
  const columns = columnsOf(header, fieldsOf(resource), table);
  const errors = findHeaderErrors(header, fieldsOf(resource), table);
  const cells = parseRows(
    rows.map(row => Buffer.from(row)),
    header.delimiter,
  );
  const bodies = cells.map(row => bodyOf('cells' in row ? row.cells : [], columns, { ...options, defused }));
  return { bodies, errors: errors.map(({ field, code }) => `${field} ${code}`) };
};

describe('the CSV of a listing', () => {
  it('is read as the values that it was written from, formulas and apostrophes included', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }).map(text => text.toWellFormed()),
      fc.string({ unit: fc.constantFrom("'", '=', '@', '+', '-', '\t', '\r', '\n', '1', '"', ','), minLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), fc.boolean(), async (texts, defuseCsv) => {
        const members = [{ name: 'company', type: 'text' }] as const;
        const { begin, batch, end } = csv.listing(
          { plural: 'clients', singular: 'client', many: true, members },
          { defuseCsv },
        );
        const content = Buffer.from(begin + batch(texts.map(text => Cells.of(text))) + end());
        const records = [];
        const all = (async function* () {
          yield content;
        })();
        for await (const { bytes } of splitRecords(all, { position: 0, lines: 0 }, 0x2c)) records.push(bytes as Buffer);
        const columns = columnsOf(parseHeader(records[0] as Buffer), fieldsOf(table.clients as Resource), table);
        const bodies = parseRows(records.slice(1), ',').map(row =>
          bodyOf('cells' in row ? row.cells : [], columns, { ...options, defused: defuseCsv }),
        );
        assert.deepEqual(
          bodies,
          texts.map(company => ({ company })),
        );
      }),
    );
  });
});

describe('the cells of a row', () => {
  it('have the type of their field, or stay strings; empty ones are left out', () => {
    const { bodies, errors } = read(
      table.projects as Resource,
      'id;external_id;name;client.external_id;configurations\n17;;"P; 1";C-17;"{""a"": [1]}"\nx;7;=1;;{broken\n',
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(bodies, [
      { id: 17, name: 'P; 1', client: { external_id: 'C-17' }, configurations: { a: [1] } },
      { id: 'x', external_id: '7', name: '=1', configurations: '{broken' },
    ]);
  });

  it('of flags and numbers are those of JSON', () => {
    const { bodies } = read(table['wage-profiles'] as Resource, 'name,is_default,deleted\na,1,true\nb,0,yes\n');
    assert.deepEqual(bodies, [
      { name: 'a', is_default: 1, deleted: true },
      { name: 'b', is_default: 0, deleted: 'yes' },
    ]);
    const [number] = read(table['event-functions'] as Resource, 'quantity\n4\n').bodies;
    assert.deepEqual(number, { quantity: 4 });
  });

  it('lose the apostrophe of a defused formula, and only that', () => {
    const rows = `company\n'=1+1\n''=1\n'quoted'\n'-1\n'-a\n'\n`;
    const names = (defused: boolean) =>
      read(table.clients as Resource, rows, defused).bodies.map(({ company }) => company);
    assert.deepEqual(names(true), ['=1+1', "'=1", "'quoted'", "'-1", '-a', "'"]);
    assert.deepEqual(names(false), ["'=1+1", "''=1", "'quoted'", "'-1", "'-a", "'"]);
  });
});

describe('a header row', () => {
  it('has a name of the resource in each column, once', () => {
    const { errors } = read(table.contacts as Resource, 'lastnam,client.external_id,firstname,firstname,client\n');
    assert.deepEqual(errors, ['lastnam unknown_field', 'firstname not_unique', 'client unknown_field']);
  });

  it('is rejected if it is malformed or too long', () => {
    for (const bytes of [Buffer.from('a,"b'), Buffer.from([0xff]), null])
      assert.throws(() => parseHeader(bytes), { code: 'validation_failed' });
  });
});
