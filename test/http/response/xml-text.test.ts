import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { XMLValidator } from 'fast-xml-parser';
import type { Json } from '../../../src/core/call/reply.ts';
import { Cells } from '../../../src/core/resource/cells.ts';
import { elementOf, encodeXml, envelopeElement } from '../../../src/http/response/xml-text.ts';
import { asTexts, readXml } from '../../support/xml.ts';

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

const write = (value: Json, name = 'value'): string => encodeXml(elementOf({ kind: 'value', name, value }));

describe('encodeXml', () => {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,12}$/).filter(text => text !== 'item');
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('<a>&amp;"\'', ']]>', 'Müller 😀', '&#1;', '-->'),
  );
  const { value } = fc.letrec<{ value: Json }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constant(null),
      fc.integer(),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it('holds the same data as JSON: null, empty texts, arrays and objects apart', () => {
    fc.assert(
      fc.property(value, given => {
        const expected = asTexts(given);
        assert.deepEqual(readXml(write(given)), ['value', expected]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is well-formed to libxml2: 2,000 documents', { skip: !hasXmllint && 'no xmllint (libxml2-utils)' }, context => {
    const folder = mkdtempSync(join(tmpdir(), 'staffing-xml-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const files = fc.sample(value, 2000).map((given, index) => {
      const file = join(folder, `${index}.xml`);
      writeFileSync(file, write(given));
      return file;
    });
    const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', ...files], { encoding: 'utf8' });
    assert.equal(status, 0, stderr.slice(0, 2000));
  });

  it('is well-formed whatever texts and names there are', () => {
    const wild = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('@', '#', '=', '__proto__', '1', ' ', '<', '\0'),
    );
    fc.assert(
      fc.property(fc.dictionary(wild, wild), given => assert.equal(XMLValidator.validate(write(given)), true)),
      { numRuns: 500 },
    );
  });

  const cases: [label: string, xml: string, want: string][] = [
    ['null', write({ x: null }), '<value>\n  <x nil="true"/>\n</value>'],
    ['an empty text', write({ x: '' }), '<value>\n  <x/>\n</value>'],
    ['an empty array', write({ x: [] }), '<value>\n  <x type="array"/>\n</value>'],
    [
      'an array',
      write({ x: [1, null] }),
      '<value>\n  <x>\n    <item>1</item>\n    <item nil="true"/>\n  </x>\n</value>',
    ],
    ['a dotted name', write({ 'event.name': 'a' }), '<value>\n  <event.name>a</event.name>\n</value>'],
    ['forbidden characters', write({ x: 'a\0\u0001\ufffe\ud800b' }), '<value>\n  <x>ab</x>\n</value>'],
    ['a carriage return', write({ x: 'a\r\nb' }), '<value>\n  <x>a&#13;\nb</x>\n</value>'],
    ['markup', write({ x: '<b>&' }), '<value>\n  <x>&lt;b>&amp;</x>\n</value>'],
    ['names that fall together', write({ '@': 1, '#': 2 }), '<value>\n  <_>1</_>\n  <_>2</_>\n</value>'],
  ];
  for (const [label, xml, want] of cases) {
    it(`writes ${label}`, () => assert.equal(xml, `<?xml version="1.0" encoding="UTF-8"?>\n${want}`));
  }

  const listing = (records: string[][], many = true) =>
    elementOf({
      kind: 'rows',
      representation: {
        plural: 'event-functions',
        singular: 'event-function',
        many,
        members: [{ name: 'id', type: 'integer' }],
        records: records.map(record => Cells.of(...record)),
      },
    });

  it('names a listing by the plural and its records by the singular', () => {
    const record = '  <event-function>\n    <id>1</id>\n  </event-function>\n';
    assert.ok(encodeXml(listing([['1']])).endsWith(`\n<event-functions>\n${record}</event-functions>`));
    assert.ok(encodeXml(listing([])).endsWith('\n<event-functions type="array"/>'));
    assert.ok(encodeXml(listing([['1']], false)).endsWith('\n<event-function>\n  <id>1</id>\n</event-function>'));
  });

  it('puts the whole response into an envelope, or nil', () => {
    assert.deepEqual(readXml(encodeXml(envelopeElement({ status_code: 200, x_total_count: 1 }, listing([['1']])))), [
      'envelope',
      { status_code: '200', x_total_count: '1', response: { 'event-functions': { 'event-function': { id: '1' } } } },
    ]);
    assert.deepEqual(readXml(encodeXml(envelopeElement({ status_code: 304 }, null))), [
      'envelope',
      { status_code: '304', response: null },
    ]);
  });
});
