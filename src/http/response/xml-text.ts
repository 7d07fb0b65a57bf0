import { parse } from 'js2xmlparser';
import type { Encodable, Json } from '../../core/call/reply.ts';
import { decodeRecords } from '../../core/json/records.ts';
import type { Cells } from '../../core/resource/cells.ts';
import type { Shape } from '../../core/resource/representation.ts';
import type { EnvelopeMembers, ListingParts } from './formats.ts';

/** Input of js2xmlparser: members become elements, `@` holds attributes, arrays repeat elements. */
type XmlNode = string | readonly XmlNode[] | { readonly [name: string]: XmlNode };

/** A root element. */
export interface Element {
  readonly name: string;
  readonly content: XmlNode;
}

/** Returns a pretty-printed XML 1.0 document in UTF-8. */
export const encodeXml = ({ name, content }: Element): string =>
  // XML parsers read a bare carriage return as a line feed.
  parse(elementName(name), content, options).replaceAll('\r', '&#13;');

const options = { declaration: { encoding: 'UTF-8' }, format: { doubleQuotes: true, indent: '  ' } };

/**
 * Returns the element of a body.
 * A listing is named by its resource's plural and singular, one record by the singular, a plain value by its own name.
 */
export const elementOf = (body: Encodable): Element => {
  if (body.kind === 'value') return { name: body.name, content: nodeOf(body.value) };
  const { plural, singular, many } = body.representation;
  const value = decodeRecords(body.representation);
  if (!many || !Array.isArray(value)) return { name: singular, content: nodeOf(value) };
  return { name: plural, content: arrayOf(singular, value) };
};

/**
 * Returns the envelope of a response.
 * The other members, then `response` with the element that would be the root, or nil.
 */
export const envelopeElement = (members: EnvelopeMembers, response: Element | null): Element => ({
  name: 'envelope',
  content: {
    ...objectOf(members),
    response: response ? { [elementName(response.name)]: response.content } : nil,
  },
});

/** Returns the parts of a document around a listing's element; `around` nests that element. */
export const xmlFrame = ({ plural, singular }: Shape, around: (listing: Element) => Element): [string, string] => {
  const xml = encodeXml(around({ name: plural, content: { [singular]: [''] } }));
  const close = `</${plural}>`;
  return [xml.slice(0, xml.indexOf(`<${plural}>`)), xml.slice(xml.lastIndexOf(close) + close.length)];
};

/**
 * Returns an encoder of a listing's element in parts, at the root or nested in an envelope.
 * `xmlFrame` encodes the rest.
 */
export const xmlListing = (shape: Shape, nested: boolean): Omit<ListingParts, 'begin'> => {
  const { plural, singular } = shape;
  const [open, close] = [`<${plural}>`, `</${plural}>`];
  let begun = false;
  const batch = (records: readonly Cells[]): string => {
    if (records.length === 0) return '';
    const content = arrayOf(singular, decodeRecords({ ...shape, many: true, records }) as readonly Json[]);
    const listing = { name: plural, content };
    const xml = encodeXml(nested ? envelopeElement({}, listing) : listing);
    const start = xml.indexOf(open) + (begun ? open.length : 0);
    begun = true;
    return xml.slice(start, xml.lastIndexOf(close)).trimEnd();
  };
  return {
    batch,
    end: () => (begun ? `\n${nested ? '    ' : ''}${close}` : `<${plural} type="array"/>`),
  };
};

const nil = { '@': { nil: 'true' } };

const nodeOf = (value: Json): XmlNode => {
  if (value === null) return nil;
  if (Array.isArray(value)) return arrayOf('item', value);
  if (typeof value === 'object') return objectOf(value as Readonly<Record<string, Json>>);
  return allowed(String(value));
};

/** An empty array has an attribute that distinguishes it from an empty string; so has an empty object. */
const arrayOf = (name: string, items: readonly Json[]): XmlNode =>
  items.length === 0 ? { '@': { type: 'array' } } : { [elementName(name)]: items.map(nodeOf) };

const objectOf = (value: Readonly<Record<string, Json>>): { readonly [name: string]: XmlNode } => {
  const entries = Object.entries(value);
  if (entries.length === 0) return { '@': { type: 'object' } };
  const elements = new Map<string, XmlNode[]>();
  for (const [name, member] of entries) {
    const element = elementName(name);
    elements.set(element, [...(elements.get(element) ?? []), nodeOf(member)]);
  }
  return Object.fromEntries(elements);
};

/**
 * Removes characters that XML 1.0 does not allow (production Char).
 * Control characters, lone surrogates, U+FFFE and U+FFFF.
 */
const allowed = (text: string): string => text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

const nameStart =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}';
const forbidden = new RegExp(`[^${nameStart}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}]`, 'gu');
const starts = new RegExp(`^[${nameStart}]`, 'u');

/** Returns a valid element name: characters that XML does not allow become `_`. */
const elementName = (name: string): string => {
  const clean = name.replace(forbidden, '_');
  return starts.test(clean) ? clean : `_${clean}`;
};
