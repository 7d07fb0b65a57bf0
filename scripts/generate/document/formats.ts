import type { Program, Type } from '@typespec/compiler';
import { resolveOperationId } from '@typespec/openapi';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { pascal } from '../../../spec/words.ts';
import { formatsOf } from '../spec/formats.ts';
import { namespaceOf } from '../spec/program.ts';

interface RepresentedOperation {
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
  const items = Object.values(document.paths as Record<string, Record<string, RepresentedOperation>>);
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
    : type.kind === 'Model' &&
      (type.name === 'Listing' || type.sourceModels.some(({ model }) => model.name === 'Listing'));

const schemaName = (format: string): string => `${pascal(format)}Listing`;
