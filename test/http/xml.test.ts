import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Json } from '../../src/http/reply.ts';
import { elementOf, encodeXml, envelopeElement } from '../../src/http/xml.ts';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: true,
  htmlEntities: true,
  ignoreDeclaration: true,
});

type Parsed = { readonly ':@'?: Record<string, string>; readonly [name: string]: unknown };

const nameOf = (node: Parsed): string => Object.keys(node).find(key => key !== ':@') ?? '';

/** The value of an element, by the rules that the documentation gives a reader; numbers and flags are texts. */
const readElement = (node: Parsed): Json => {
  const attributes = node[':@'] ?? {};
  if (attributes.nil === 'true') return null;
  if (attributes.type === 'array') return [];
  if (attributes.type === 'object') return {};
  const children = node[nameOf(node)] as Parsed[];
  const elements = children.filter(child => nameOf(child) !== '#text');
  if (elements.length === 0) return children.map(child => String(child['#text'])).join('');
  if (elements.every(child => nameOf(child) === 'item')) return elements.map(readElement);
  return Object.fromEntries(elements.map(child => [nameOf(child), readElement(child)]));
};

/** The element and value that a document's text holds. */
const read = (xml: string): [name: string, value: Json] => {
  assert.equal(XMLValidator.validate(xml), true);
  const [root] = (parser.parse(xml) as Parsed[]).filter(node => nameOf(node) !== '#text');
  assert.ok(root);
  return [nameOf(root), readElement(root)];
};

const asTexts = (value: Json): Json => {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, asTexts(v)]));
  return String(value);
};

const write = (value: Json, name = 'answer'): string => encodeXml(elementOf({ kind: 'value', name, value }));

describe('encodeXml', () => {
  const name = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,12}$/).filter(text => text !== 'item');
  const text = fc.oneof(fc.string(), fc.constantFrom('<a>&amp;"\'', ']]>', 'Müller 😀', '&#1;', '-->'));
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
        assert.deepEqual(read(write(given)), ['answer', expected]);
      }),
      { numRuns: 500 },
    );
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
    ['null', write({ x: null }), '<answer>\n  <x nil="true"/>\n</answer>'],
    ['an empty text', write({ x: '' }), '<answer>\n  <x/>\n</answer>'],
    ['an empty array', write({ x: [] }), '<answer>\n  <x type="array"/>\n</answer>'],
    [
      'an array',
      write({ x: [1, null] }),
      '<answer>\n  <x>\n    <item>1</item>\n    <item nil="true"/>\n  </x>\n</answer>',
    ],
    ['a dotted name', write({ 'event.name': 'a' }), '<answer>\n  <event.name>a</event.name>\n</answer>'],
    ['forbidden characters', write({ x: 'a\0\u0001\ufffe\ud800b' }), '<answer>\n  <x>ab</x>\n</answer>'],
    ['a carriage return', write({ x: 'a\r\nb' }), '<answer>\n  <x>a&#13;\nb</x>\n</answer>'],
    ['markup', write({ x: '<b>&' }), '<answer>\n  <x>&lt;b>&amp;</x>\n</answer>'],
    ['names that fall together', write({ '@': 1, '#': 2 }), '<answer>\n  <_>1</_>\n  <_>2</_>\n</answer>'],
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
        records,
      },
    });

  it('names a listing by the plural and its records by the singular', () => {
    const record = '  <event-function>\n    <id>1</id>\n  </event-function>\n';
    assert.ok(encodeXml(listing([['1']])).endsWith(`\n<event-functions>\n${record}</event-functions>`));
    assert.ok(encodeXml(listing([])).endsWith('\n<event-functions type="array"/>'));
    assert.ok(encodeXml(listing([['1']], false)).endsWith('\n<event-function>\n  <id>1</id>\n</event-function>'));
  });

  it('puts the whole answer into an envelope, or nil', () => {
    assert.deepEqual(read(encodeXml(envelopeElement({ status_code: 200, x_total_count: 1 }, listing([['1']])))), [
      'envelope',
      { status_code: '200', x_total_count: '1', response: { 'event-functions': { 'event-function': { id: '1' } } } },
    ]);
    assert.deepEqual(read(encodeXml(envelopeElement({ status_code: 304 }, null))), [
      'envelope',
      { status_code: '304', response: null },
    ]);
  });
});
