import { join } from 'node:path';
import type { Program } from '@typespec/compiler';
import { getOpenAPI3, type OpenAPI3Document } from '@typespec/openapi3';
import { arrangeDocument } from './document/arrange.ts';
import { declareExchange } from './document/exchange.ts';
import { addGuide } from './document/guide.ts';
import { exemplifyImports } from './document/import-examples.ts';
import { placeExamples } from './document/parameter-examples.ts';
import { shareResponses } from './document/share-responses.ts';
import { declareSources } from './document/sources.ts';
import { declareWebhooks } from './document/webhooks.ts';
import { declareFormats } from './formats.ts';
import { SpecError } from './program.ts';

/** Returns the program's OpenAPI 3.1 document, with repeated responses moved to its components. */
export const emitDocument = async (program: Program): Promise<OpenAPI3Document> => {
  const [service] = await getOpenAPI3(program, {
    'openapi-versions': ['3.1.0'],
    'omit-unreachable-types': true,
    'enum-strategy': 'annotated',
  });
  if (!service || service.versioned) throw new Error('The spec must define exactly one service, without versions.');
  if (service.diagnostics.length > 0) throw new SpecError(service.diagnostics);
  const described = declareWebhooks(program, service.document as OpenAPI3Document);
  const emitted = declareFormats(program, boundIntegers(described));
  const declared = shareResponses(declareExchange(program, exemplifyImports(placeExamples(emitted))));
  return arrangeDocument(declareSources(program, addGuide(program, join(program.projectRoot, 'guide.md'), declared)));
};

/** The range of an integer column. */
export const int32 = { minimum: -2_147_483_648, maximum: 2_147_483_647 };

/** Adds the bounds of 32-bit integers, which validators do not derive from the format. */
export const boundIntegers = (document: OpenAPI3Document): OpenAPI3Document =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === 'integer' && value.format === 'int32' ? { ...int32, ...value } : value,
  );

/** A JSON Schema or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** Replaces references in the schema by the components, and removes the keywords that only document. */
export const resolveSchema = (document: OpenAPI3Document, schema: Schema): Schema => {
  const { $ref, description: _, title: __, examples: ___, default: ____, ...rest } = schema;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, resolveValue(document, value)]));
  if (typeof $ref !== 'string') return own;
  const name = $ref.split('/').at(-1) as string;
  return { ...resolveSchema(document, document.components?.schemas?.[name] as Schema), ...own };
};

const resolveValue = (document: OpenAPI3Document, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(item => resolveValue(document, item));
  if (typeof value !== 'object' || value === null) return value;
  return resolveSchema(document, value as Schema);
};
