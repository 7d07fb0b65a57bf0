import { readFileSync } from 'node:fs';
import { filterTypeOf, traitsOf } from '../../../src/http/operation/traits.ts';

interface DescribedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly DescribedSchema[];
  readonly oneOf?: readonly { readonly const?: unknown }[];
  readonly enum?: readonly unknown[];
  readonly items?: DescribedSchema;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
}
interface DescribedParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}
interface DescribedContent {
  readonly content?: Readonly<Record<string, { readonly schema: DescribedSchema }>>;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: DescribedContent;
  readonly responses: Readonly<Record<string, DescribedContent>>;
}
interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DescribedSchema>>;
    readonly parameters: Readonly<Record<string, DescribedParameter>>;
  };
}

export type RecordValues = Readonly<Record<string, unknown>>;

/** The properties of an operation that the plan needs. */
export interface PlannedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string | undefined;
  readonly module: string | undefined;
  readonly filters: readonly { readonly name: string; readonly type: string }[];
  /** Names of query parameters, and of those that are required. */
  readonly parameters: readonly string[];
  readonly required: readonly string[];
  /** The fields and relations of the records in the response. */
  readonly fields: readonly string[];
  readonly relations: readonly string[];
  /** The statuses that a record in the response can have. */
  readonly statuses: readonly unknown[];
  readonly body: BodyTemplate | null;
}

export interface BodyTemplate {
  readonly example: RecordValues;
  /** The properties with the values of their enumerations. */
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** Returns the operations of the published document in its order. */
export const readOperations = (): readonly PlannedOperation[] => {
  const document: DescribedApi = JSON.parse(
    readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
  );
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method.toUpperCase()))
      .map(([method, operation]) => read(document, path, method.toUpperCase(), operation)),
  );
};

const read = (
  document: DescribedApi,
  path: string,
  method: string,
  operation: DocumentedOperation,
): PlannedOperation => {
  const parameters = (operation.parameters ?? []).map(
    parameter => document.components.parameters[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter,
  );
  const traits = traitsOf(operation);
  const queries = parameters.filter(parameter => parameter.in === 'query');
  const schema = operation.responses['200']?.content?.['application/json']?.schema;
  const record = find(document, find(document, schema)?.items ?? schema)?.properties ?? {};
  const isRelation = (name: string) => record[name]?.description?.startsWith('With `embed=') ?? false;
  const sent = find(document, operation.requestBody?.content?.['application/json']?.schema);
  return {
    id: operation.operationId,
    method,
    path,
    verb: traits.verb,
    module: traits.module,
    filters: queries.flatMap(query => {
      const type = filterTypeOf(query);
      return type === undefined ? [] : [{ name: query.name, type }];
    }),
    parameters: queries.filter(query => filterTypeOf(query) === undefined).map(({ name }) => name),
    required: queries.filter(({ required }) => required).map(({ name }) => name),
    fields: Object.keys(record).filter(name => !isRelation(name)),
    relations: Object.keys(record).filter(isRelation),
    statuses: constants(document, record.status),
    body: sent
      ? {
          example: (sent.examples?.[0] ?? {}) as RecordValues,
          properties: Object.fromEntries(
            Object.entries(sent.properties ?? {}).map(([name, property]) => [name, constants(document, property)]),
          ),
        }
      : null,
  };
};

const find = (document: DescribedApi, schema: DescribedSchema | undefined): DescribedSchema | undefined =>
  schema?.$ref ? find(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? '']) : schema;

const constants = (document: DescribedApi, schema: DescribedSchema | undefined): readonly unknown[] => {
  const found = find(document, schema);
  if (found?.enum) return found.enum;
  if (found?.oneOf) return found.oneOf.flatMap(({ const: value }) => (value === undefined ? [] : [value]));
  return (found?.anyOf ?? []).flatMap(part => constants(document, part));
};
