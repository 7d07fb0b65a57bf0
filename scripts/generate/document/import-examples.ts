import type { OpenAPI3Document } from '@typespec/openapi3';
import { stringify } from 'csv-stringify/sync';
import { traitsOf } from '../../../src/http/operation/traits.ts';

type ExampleBody = Readonly<Record<string, unknown>>;

interface ImportOperation {
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema?: { readonly $ref?: string }; readonly example?: string }>;
  };
}

/** Gives the bodies of imports an example: a row with the resource's example of a new record. */
export const exemplifyImports = (document: OpenAPI3Document): OpenAPI3Document => {
  const operations = Object.values(document.paths as Record<string, Record<string, ImportOperation>>).flatMap(item =>
    Object.values(item).map(operation => ({ ...operation, ...traitsOf(operation) })),
  );
  for (const { resource, verb, requestBody } of operations) {
    if (verb !== 'import' || !requestBody) continue;
    const create = operations.find(other => other.verb === 'create' && other.resource === resource && !other.parent);
    const name = create?.requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1) ?? '';
    const { examples: [example] = [] } = (document.components?.schemas?.[name] ?? {}) as {
      examples?: readonly ExampleBody[];
    };
    if (!example) continue;
    const { content } = requestBody;
    for (const [type, print] of Object.entries(printers))
      if (content[type]) content[type] = { ...content[type], example: print(example) };
  }
  return document;
};

const printers: Readonly<Record<string, (body: ExampleBody) => string>> = {
  'application/x-ndjson': body => `${JSON.stringify(body)}\n`,
  'text/csv': body => {
    const given = Object.entries(body).filter(([, value]) => value !== null);
    const cells = given.map(([, value]) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
    return stringify([given.map(([name]) => name), cells], { record_delimiter: '\r\n' });
  },
};
