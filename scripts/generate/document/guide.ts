import { readFileSync } from 'node:fs';
import type { Program } from '@typespec/compiler';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { markOf } from '../../../spec/conventions/marks.ts';
import { defaultLimits } from '../../../src/core/call/limits.ts';
import { codesOf } from '../spec/codes.ts';
import { formatsOf } from '../spec/formats.ts';
import { resourceModels } from '../spec/models.ts';
import { namespaceOf } from '../spec/program.ts';

/**
 * Appends the guide (spec/guide.md) to the service's description, with `{{name}}` replaced.
 * @throws Error if the guide names something else
 */
export const addGuide = (program: Program, guide: string, document: OpenAPI3Document): OpenAPI3Document => {
  const parts = partsOf(program);
  const text = readFileSync(guide, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`${guide} names {{${name}}}; there are ${Object.keys(parts).join(', ')}.`);
    return part;
  });
  const { info } = document;
  return { ...document, info: { ...info, description: `${info.description ?? ''}\n\n${text.trim()}` } };
};

const partsOf = (program: Program): Readonly<Record<string, string>> => {
  const codes = codesOf(program);
  const formats = formatsOf(program);
  const modules = [...(namespaceOf(program).enums.get('Module')?.members.keys() ?? [])];
  const formatTable = (forListings: boolean): string =>
    table(
      ['Extension', 'Media type', 'Content'],
      formats
        .filter(({ listingsOnly }) => listingsOnly === forListings)
        .map(({ name, mediaType, description }) => [`\`.${name}\``, `\`${mediaType}\``, description]),
    );
  return {
    ...Object.fromEntries(Object.entries(defaultLimits).map(([name, limit]) => [name, String(limit)])),
    ...Object.fromEntries(codes.map(({ name, message }) => [name, message])),
    modules: modules.map(name => `\`${name}\``).join(', '),
    scopes: table(
      ['To read', 'To write'],
      ['*', ...scopedResources(program), 'sandbox'].map(name => [`\`${name}:read\``, `\`${name}:write\``]),
    ),
    formats: formatTable(false),
    listingFormats: formatTable(true),
    errors: table(
      ['Status', 'Code', 'Message', 'What to do'],
      codes
        .filter(({ status }) => status !== null)
        .toSorted((a, b) => Number(a.status) - Number(b.status))
        .map(({ status, name, message, description }) => [String(status), `\`${name}\``, message, description]),
    ),
    fieldErrors: table(
      ['Code', 'Message', 'Meaning'],
      codes
        .filter(({ status }) => status === null)
        .map(({ name, message, description }) => [`\`${name}\``, message, description]),
    ),
  };
};

/** Returns the names of the resources that have scopes of their own. */
const scopedResources = (program: Program): readonly string[] =>
  resourceModels(program)
    .filter(model => !markOf(program, 'needsScopesOf', model))
    .map(model => markOf(program, 'resource', model) as string)
    .toSorted();

/** Returns a table in Markdown. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.map(cellOf).join(' | ')} |`).join('\n');

const cellOf = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
