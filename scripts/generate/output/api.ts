import type { OpenAPI3Document } from '@typespec/openapi3';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { pascal } from '../../../spec/words.ts';
import { filterTypeOf, traitsOf } from '../../../src/http/operation/traits.ts';
import type { Facts } from '../spec/facts.ts';
import { type Members, mapMembers } from './members.ts';
import { header } from './print.ts';

type DocumentComponents = Readonly<Record<string, Members>>;

/** Returns generated/api.ts: the types of requests and 2xx responses of actions, and of records. */
export const emitApi = async (facts: Facts, source: string): Promise<string> => {
  const ast = await openapiTypescript(codePart(facts) as unknown as OpenAPI3, {
    alphabetize: false,
    immutable: true,
    emptyObjectsUnknown: true,
    transform: schema => ('shows' in schema ? shownType(schema.shows as ShownRecords) : undefined),
  });
  const kept = ast.filter(node => 'name' in node && used.has((node.name as { readonly text: string }).text));
  return `${header}import type { Representation } from '${source}/core/resource/representation.ts';\n\n${astToString(kept)}`;
};

/** The resource of the records in a response, and whether the response is a list. */
interface ShownRecords {
  readonly resource: string;
  readonly many: boolean;
}

/** Creates the type of the records in a response: the resource's representation. */
const shownType = ({ resource, many }: ShownRecords) => {
  const { factory } = ts;
  return factory.createTypeReferenceNode('Representation', [
    factory.createLiteralTypeNode(factory.createStringLiteral(resource)),
    factory.createLiteralTypeNode(many ? factory.createTrue() : factory.createFalse()),
  ]);
};

const used = new Set(['components', 'operations']);

/** Returns the part of the document that code needs types of: all but records and the five verbs. */
const codePart = ({ document, resources }: Facts): OpenAPI3Document => {
  const records = new Map(resources.map(({ name, singular }) => [pascal(singular), name]));
  const isShape = new RegExp(`^(Embedded)?(${[...records.keys()].join('|')})(WithRelations|Create.*|Update)?$`);
  const shownBy = ({ $ref, items }: ReferringSchema): ShownRecords | null => {
    const [, name = ''] = /\/(\w+?)(?:WithRelations)?$/.exec(items?.$ref ?? $ref ?? '') ?? [];
    const resource = records.get(name);
    return resource === undefined ? null : { resource, many: items !== undefined };
  };
  const paths = mapMembers(document.paths as DocumentComponents, item =>
    mapMembers(item as DocumentComponents, operation =>
      traitsOf(operation).verb ? undefined : actionOf(operation, shownBy),
    ),
  );
  const components = document.components as unknown as DocumentComponents;
  const parts = Object.keys(components.schemas ?? {}).filter(name => !isShape.test(name));
  const needed = reach(components, [paths, parts.map(name => ({ $ref: `#/components/schemas/${name}` }))]);
  const { schemas, parameters } = mapMembers(components, (kind, part) =>
    mapMembers(kind, (value, name) => (needed.has(`${part}/${name}`) ? value : undefined)),
  );
  return {
    ...document,
    webhooks: undefined,
    paths: without(['description', 'format'], paths),
    components: { schemas: without(['format'], schemas), parameters: without(['description', 'format'], parameters) },
  } as OpenAPI3Document;
};

/** Removes the keywords that do not affect types, at any depth. */
const without = (keywords: readonly string[], value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member) => (keywords.includes(key) && typeof member === 'string' ? undefined : member)),
  );

/** Removes filters (passed on unparsed), error responses (thrown), and what rendering adds. */
const actionOf = (
  { parameters, responses, ...operation }: Members,
  shownBy: (schema: ReferringSchema) => ShownRecords | null,
): Members => ({
  ...operation,
  parameters: (parameters as Members[]).filter(parameter => filterTypeOf(parameter) === undefined),
  responses: mapMembers(responses as Readonly<Record<string, DeclaredResponse>>, (response, status) => {
    if (Number(status) >= 300) return undefined;
    const headers = ownHeaders(response);
    const { 'application/json': json, ...others } = response.content ?? {};
    if (!json) return { ...response, headers, ...(response.content && { content: others }) };
    const shown = shownBy(json.schema ?? {});
    const schema = shown ? { type: 'object', shows: shown } : json.schema;
    return { ...response, headers, content: { 'application/json': { schema } } };
  }),
});

/** Returns the headers that a response declares itself, without those of all responses. */
const ownHeaders = ({ headers = {} }: DeclaredResponse): Members =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, header]) => ('$ref' in header ? [] : [[name.toLowerCase(), header]])),
  );

interface ReferringSchema {
  readonly $ref?: string;
  readonly items?: ReferringSchema;
}

interface DeclaredResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: ReferringSchema }>>;
}

/** Returns the components that the value refers to, directly or indirectly, as `schemas/Name`. */
const reach = (components: DocumentComponents, value: unknown, found = new Set<string>()): ReadonlySet<string> => {
  for (const [, ref = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
    if (found.has(ref)) continue;
    found.add(ref);
    const [kind = '', name = ''] = ref.split('/');
    reach(components, components[kind]?.[name], found);
  }
  return found;
};
