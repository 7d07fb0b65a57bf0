import assert from 'node:assert/strict';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Json } from '../../src/core/call/reply.ts';

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

/** Returns the value of an element, read by the documented rules; numbers and flags are strings. */
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

const rootOf = (xml: string): Parsed => {
  assert.equal(XMLValidator.validate(xml), true);
  const [root] = (parser.parse(xml) as Parsed[]).filter(node => nameOf(node) !== '#text');
  assert.ok(root);
  return root;
};

/** Returns the root element's name and value. */
export const readXml = (xml: string): [name: string, value: Json] => {
  const root = rootOf(xml);
  return [nameOf(root), readElement(root)];
};

/** Returns the values of the root element's children, whatever their names. */
export const readXmlListing = (xml: string): readonly Json[] => {
  const root = rootOf(xml);
  return (root[nameOf(root)] as Parsed[]).filter(child => nameOf(child) !== '#text').map(readElement);
};

/** Returns the value with numbers and flags converted to strings, as in XML. */
export const asTexts = (value: Json): Json => {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, asTexts(v)]));
  return String(value);
};
