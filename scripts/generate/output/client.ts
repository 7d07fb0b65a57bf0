import type { OpenAPI3Document } from '@typespec/openapi3';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { pascal } from '../../../spec/words.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import { filterTypeOf } from '../../../src/http/operation/traits.ts';
import type { Facts } from '../spec/facts.ts';
import { clientDocument } from './client-document.ts';
import { type Members, mapMembers } from './members.ts';
import { header } from './print.ts';

interface ClientParameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

interface ClientOperation {
  readonly parameters: readonly ClientParameter[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface PatternedSchema {
  readonly properties?: Members;
  readonly patternProperties?: Members;
}

/** Returns generated/client.ts: the types of the client package, of successful JSON responses. */
export const emitClient = async (facts: Facts): Promise<string> => {
  const ast = await openapiTypescript(clientPart(facts) as unknown as OpenAPI3, { alphabetize: false });
  const types = astToString(ast).replaceAll(dynamicProperty, '[field: `dynamic_field_$${number}`]: unknown;');
  return `${header}\n${types}\n${filtersOf(facts.document)}\n${recordsOf(facts)}`;
};

const dynamicField = 'x-dynamic-field';
const dynamicProperty = new RegExp(`"${dynamicField}"\\?: .*;`, 'g');

/** Returns the document of clients without filters, request headers and errors. */
const clientPart = ({ document: whole, resources }: Facts): object => {
  const document = clientDocument(whole);
  const paths = mapMembers(document.paths as Readonly<Record<string, Members>>, item =>
    mapMembers(item as Readonly<Record<string, ClientOperation>>, ({ parameters, responses, ...operation }) => ({
      ...operation,
      parameters: parameters
        .filter(parameter => !isHeader(document, parameter) && filterTypeOf(parameter) === undefined)
        .map(parameter => (isList(parameter) ? { ...parameter, description: undefined } : parameter)),
      responses: Object.fromEntries(
        Object.entries(responses)
          .filter(([status]) => /^2/.test(status))
          .map(([status, { content }]) => [status, { description: '', ...(content && { content }) }]),
      ),
    })),
  );
  const relations = new Map(resources.map(resource => [recordName(resource), relationsOf(resource)]));
  const schemas = mapMembers(
    document.components?.schemas as Readonly<Record<string, PatternedSchema>>,
    (schema, name) =>
      withDynamicFields(withRequiredFields(schema, relations.get(name.replace(/^Embedded|WithRelations$/g, '')))),
  );
  const { parameters, securitySchemes } = document.components ?? {};
  const { webhooks: _, ...rest } = document as OpenAPI3Document & { readonly webhooks?: object };
  const part = { ...rest, paths, components: { schemas, parameters, securitySchemes } };
  return JSON.parse(JSON.stringify(part), (name, value) =>
    name === 'examples' && Array.isArray(value) ? undefined : value,
  );
};

const recordName = ({ singular }: Resource): string => pascal(singular);

const relationsOf = ({ relations }: Resource): ReadonlySet<string> =>
  new Set(relations.flatMap(({ name, short }) => [name, short]));

/** Returns the type with the record of each resource that `GET /changes` follows, without relations. */
const recordsOf = ({ document, resources }: Facts): string => {
  const schemas = document.components?.schemas ?? {};
  const lines = resources.flatMap(resource => {
    const name = [recordName(resource), `${recordName(resource)}WithRelations`].find(name => name in schemas);
    if (resource.unjournalled || name === undefined) return [];
    const relations = [...relationsOf(resource)].map(relation => `"${relation}"`).join(' | ') || 'never';
    const type = `components["schemas"]["${name}"]`;
    return [`    "${resource.name}": ${name === recordName(resource) ? type : `Omit<${type}, ${relations}>`};`];
  });
  return `/** The records whose changes are listed, by resource. */\nexport interface records {\n${lines.join('\n')}\n}\n`;
};

const isHeader = (document: OpenAPI3Document, { $ref, in: place }: ClientParameter): boolean => {
  const component = document.components?.parameters?.[$ref?.split('/').at(-1) ?? ''] as ClientParameter | undefined;
  return (component?.in ?? place) === 'header';
};

/** The client has these as lists of names, described once. */
const isList = ({ name = '' }: ClientParameter): boolean => ['fields', 'embed', 'sort'].includes(name);

/** A record has all its fields, if not others are selected, and the relations that are embedded. */
const withRequiredFields = (schema: PatternedSchema, relations: ReadonlySet<string> | undefined): PatternedSchema => {
  if (!relations) return schema;
  const required = Object.keys(schema.properties ?? {}).filter(name => !relations.has(name));
  return { ...schema, required } as PatternedSchema;
};

const withDynamicFields = ({ patternProperties, ...schema }: PatternedSchema): PatternedSchema =>
  patternProperties ? { ...schema, properties: { ...schema.properties, [dynamicField]: {} } } : schema;

/** Returns the type with the filters of each listing: name and type of the field. */
const filtersOf = ({ paths }: OpenAPI3Document): string => {
  const lines = Object.entries(paths as Readonly<Record<string, { readonly get?: ClientOperation }>>).flatMap(
    ([path, { get }]) => {
      const filters = (get?.parameters ?? []).flatMap(parameter => {
        const type = filterTypeOf(parameter);
        return type === undefined ? [] : [`        "${parameter.name}": "${type}";`];
      });
      return filters.length > 0 ? [`    "${path}": {`, ...filters, '    };'] : [];
    },
  );
  return `/** The fields that the listing of a path can be filtered by, with their types. */\nexport interface filters {\n${lines.join('\n')}\n}\n`;
};
