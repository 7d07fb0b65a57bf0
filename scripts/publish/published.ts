import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { resources } from '../../generated/resources.ts';
import { compareDocuments, type Document } from './compare/document.ts';
import type { ApiChange } from './compare/finding.ts';
import { compareResources, type PublicResources, publicResources } from './compare/resources.ts';

/** A version of the API: its document, and what its table of resources promises beyond it. */
export interface Api {
  readonly document: Document;
  readonly resources: PublicResources;
  /** SHA-256 of the whole document, descriptions included. */
  readonly digest: string;
}

/** The folder of the last published version; the one before it is in `previous`. */
export const publishedFolder = resolve(import.meta.dirname, '../../generated/published');

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Returns the API as generated from the spec. */
export const readGenerated = (): Api => apiOf(readJson(resolve(import.meta.dirname, '../../generated/openapi.json')));

/** Returns the API of a document that has been generated with the present table of resources. */
export const apiOf = ({ 'x-generated': _, ...document }: Document & { readonly 'x-generated'?: string }): Api => ({
  document,
  resources: publicResources(resources),
  digest: createHash('sha256').update(JSON.stringify(document)).digest('hex'),
});

/**
 * Returns the version of the API that a folder keeps, without its descriptions.
 * Null if none has been published.
 */
export const readPublished = (folder = publishedFolder): Api | null => {
  const [document, table] = ['openapi.json', 'resources.json'].map(name => join(folder, name)) as [string, string];
  if (!existsSync(document)) return null;
  const { 'x-generated': _, ...resources } = readJson(table);
  const { 'x-digest': digest, ...kept } = readJson(document);
  return { document: kept, resources, digest };
};

const notice = 'A published version, without descriptions: written by `npm run publish:openapi`.';

/** Stores a version of the API in a folder, without its descriptions. */
export const writePublished = ({ document, resources, digest }: Api, folder = publishedFolder): void => {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify({ 'x-generated': notice, ...value }, null, 1)}\n`);
  write('openapi.json', { ...withoutProse(document), 'x-generated': notice, 'x-digest': digest });
  write('resources.json', resources);
};

const prose = new Set(['description', 'summary', 'title', 'example', 'examples', 'x-example', 'tags']);

/**
 * Returns the document without what only describes it.
 * A member of an object may have one of these names, too: those stay.
 */
const withoutProse = <T>(value: T, isNamed = false): T => {
  if (Array.isArray(value)) return value.map(item => withoutProse(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isNamed || !prose.has(name));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, withoutProse(member, !isNamed && named.has(name))]),
  ) as T;
};

/** The keywords whose members have names of the API's own. */
const named = new Set([
  'properties',
  'patternProperties',
  'paths',
  'schemas',
  'parameters',
  'responses',
  'headers',
  'webhooks',
]);

/** Returns the differences of two versions that a client can notice. */
export const compareApis = (old: Api, now: Api): readonly ApiChange[] => [
  ...compareDocuments(old.document, now.document),
  ...compareResources(old.resources, now.resources),
];
