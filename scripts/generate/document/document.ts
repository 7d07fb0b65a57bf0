import { join } from 'node:path';
import type { Program } from '@typespec/compiler';
import { getOpenAPI3, type OpenAPI3Document } from '@typespec/openapi3';
import { SpecError } from '../spec/program.ts';
import { int32 } from '../spec/schema.ts';
import { arrangeDocument } from './arrange.ts';
import { declareExchange } from './exchange.ts';
import { declareFormats } from './formats.ts';
import { addGuide } from './guide.ts';
import { exemplifyImports } from './import-examples.ts';
import { declareLinks } from './links.ts';
import { placeExamples } from './parameter-examples.ts';
import { shareResponses } from './share-responses.ts';
import { declareSources } from './sources.ts';
import { addVersion } from './version.ts';
import { declareWebhooks } from './webhooks.ts';

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
  const linked = declareLinks(exemplifyImports(placeExamples(emitted)));
  const declared = shareResponses(declareExchange(program, linked));
  const guided = addGuide(program, join(program.projectRoot, 'guide.md'), addVersion(declared));
  return arrangeDocument(declareSources(program, guided));
};

/** Adds the bounds of 32-bit integers, which validators do not derive from the format. */
export const boundIntegers = (document: OpenAPI3Document): OpenAPI3Document =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === 'integer' && value.format === 'int32' ? { ...int32, ...value } : value,
  );
