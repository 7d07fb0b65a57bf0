import { getDoc, type Program, type Type } from '@typespec/compiler';
import { resolveOperationId } from '@typespec/openapi';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { pascal } from '../../spec/words.ts';
import { header } from './print.ts';
import { namespaceOf } from './program.ts';

/** A response format. */
export interface Format {
  /** The path extension that selects it; also the name of its encoder. */
  readonly name: string;
  readonly mediaType: string;
  readonly description: string;
  readonly listingsOnly: boolean;
}

/** Returns the response formats; those that only listings have come last. */
export const formatsOf = (program: Program): readonly Format[] =>
  ['Formats', 'ListingFormats'].flatMap(name =>
    [...(namespaceOf(program).enums.get(name)?.members.values() ?? [])].map(member => ({
      name: member.name,
      mediaType: String(member.value),
      description: getDoc(program, member) ?? '',
      listingsOnly: name === 'ListingFormats',
    })),
  );

/** Returns generated/formats.ts, which imports the encoder of every format and checks its type. */
export const emitFormats = ({ formats }: { readonly formats: readonly Format[] }, source: string): string => {
  const folder = `${source}/http/response`;
  const imports = formats.map(({ name }) => `import { ${name} } from '${folder}/formats/${name}.ts';\n`);
  const members = (only: boolean): string => {
    const names = formats.filter(({ listingsOnly }) => listingsOnly === only).map(({ name }) => name);
    return names.length > 0 ? `{ ${names.join(', ')} }` : '{}';
  };
  return `${header}import type { ListingFormat, ResponseFormat } from '${folder}/formats.ts';
${imports.toSorted().join('')}
/** The formats of all responses, by the path extension that selects them. */
export const responseFormats = ${members(false)} satisfies Record<string, ResponseFormat>;

/** Additional formats of listings. */
export const listingFormats = ${members(true)} satisfies Record<string, ListingFormat>;
`;
};

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Record<string, object> }>>;
}

/**
 * Adds the formats to the document.
 * Those of all responses wherever there is JSON, with its schema, and the additional ones of listings with schemas of their
 * own.
 */
export const declareFormats = (program: Program, document: OpenAPI3Document): OpenAPI3Document => {
  const [json, ...others] = formatsOf(program);
  if (!json) return document;
  const listings = listingsOf(program);
  const items = Object.values(document.paths as Record<string, Record<string, Operation>>);
  for (const { operationId, responses } of items.flatMap(item => Object.values(item))) {
    for (const [status, { content }] of Object.entries(responses)) {
      const shown = content?.[json.mediaType];
      if (!content || !shown) continue;
      const isListing = status === '200' && listings.has(operationId);
      for (const { name, mediaType, listingsOnly } of others) {
        if (!listingsOnly) content[mediaType] = shown;
        else if (isListing) content[mediaType] = { schema: { $ref: `#/components/schemas/${schemaName(name)}` } };
      }
    }
  }
  const schemas = others
    .filter(({ listingsOnly }) => listingsOnly)
    .map(({ name, description }) => [schemaName(name), { type: 'string', description }]);
  const { components } = document;
  return {
    ...document,
    components: { ...components, schemas: { ...components?.schemas, ...Object.fromEntries(schemas) } },
  };
};

/** Returns the operationIds of the operations that return a listing. */
const listingsOf = (program: Program): ReadonlySet<string> => {
  const interfaces = [...namespaceOf(program).interfaces.values()];
  const operations = interfaces.flatMap(item => [...item.operations.values()]);
  const listings = operations.filter(({ returnType }) => isListing(returnType));
  return new Set(listings.map(operation => resolveOperationId(program, operation)));
};

const isListing = (type: Type): boolean =>
  type.kind === 'Union'
    ? [...type.variants.values()].some(variant => isListing(variant.type))
    : type.kind === 'Model' && type.name === 'Listing';

const schemaName = (format: string): string => `${pascal(format)}Listing`;
