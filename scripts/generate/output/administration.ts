import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile, NodeHost } from '@typespec/compiler';
import { getOpenAPI3, type OpenAPI3Document } from '@typespec/openapi3';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { boundIntegers } from '../document/document.ts';
import { shareResponses } from '../document/share-responses.ts';
import { addVersion } from '../document/version.ts';
import { SpecError, throwProblems } from '../spec/program.ts';
import { emitJson } from './openapi.ts';
import { header } from './print.ts';

/**
 * Returns the document of the administration API and its types, by file name.
 * None if the spec has no such service.
 * @param tenants the document of the tenants' API, which has the schemas that configurations of automations refer to
 * @throws SpecError if it does not compile
 */
export const generateAdministration = async (
  specDir: string,
  tenants: OpenAPI3Document,
): Promise<readonly (readonly [string, string])[]> => {
  const main = join(specDir, 'administration', 'main.tsp');
  if (!existsSync(main)) return [];
  const program = await compile(NodeHost, main, { noEmit: true });
  throwProblems(program);
  const [service] = await getOpenAPI3(program, {
    'openapi-versions': ['3.1.0'],
    'omit-unreachable-types': true,
    'enum-strategy': 'annotated',
  });
  if (!service || service.versioned) throw new Error('The spec of the administration must define one service.');
  if (service.diagnostics.length > 0) throw new SpecError(service.diagnostics);
  const emitted = addVersion(service.document as OpenAPI3Document);
  const document = withReferred(renamed(shareResponses(sealed(boundIntegers(emitted)))), tenants);
  const types = await openapiTypescript(withoutProblems(document), { alphabetize: false, immutable: true });
  const used = types.filter(node => 'name' in node && ['components', 'operations'].includes(nameOf(node)));
  return [
    ['administration.json', emitJson({ document })],
    ['administration.ts', `${header}\n${astToString(used)}`],
  ];
};

/** Adds the schemas of another document that this one lacks and refers to, also through one another. */
const withReferred = (document: OpenAPI3Document, { components: other }: OpenAPI3Document): OpenAPI3Document => {
  const schemas = new Map(Object.entries(document.components?.schemas ?? {}));
  const add = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([\w.]+)"/g)) {
      const schema = other?.schemas?.[name];
      if (!schema || schemas.has(name)) continue;
      schemas.set(name, schema);
      add(schema);
    }
  };
  add(document);
  return {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(schemas) },
  } as OpenAPI3Document;
};

/** Rejects members that a schema does not have, in requests as in responses. */
const sealed = (document: OpenAPI3Document): OpenAPI3Document =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.type === 'object' && value.properties ? { ...value, additionalProperties: false } : value,
  );

/** Writes the ids of operations like those of the tenants' API: `apiUsers_list`. */
const renamed = (document: OpenAPI3Document): OpenAPI3Document =>
  JSON.parse(JSON.stringify(document), (name, value) =>
    name === 'operationId' ? value.charAt(0).toLowerCase() + value.slice(1) : value,
  );

/** Handlers throw what is a problem, so that they need no types of it. */
const withoutProblems = (document: OpenAPI3Document): OpenAPI3 =>
  JSON.parse(JSON.stringify(document), (name, value) =>
    name === 'responses' ? Object.fromEntries(Object.entries(value).filter(([status]) => status < '300')) : value,
  );

const nameOf = (node: object): string => (node as { readonly name: { readonly text: string } }).name.text;
