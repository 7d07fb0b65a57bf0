import type { Operation as BackendOperation, Document, SecurityRequirement } from 'openapi-backend';
import type { Module } from '../../core/resource/resource.ts';
import type { VerbName } from '../../core/resource/verb-names.ts';

interface Reference {
  readonly $ref: string;
}

interface Schema {
  readonly type?: string | readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema | Reference;
}

/** What the document says of an operation (OpenAPI 3.1, "Operation Object"), as far as requests are served by it. */
interface Declared {
  readonly operationId: string;
  readonly requestBody?: Exclude<BackendOperation['requestBody'], Reference>;
  /** By status. */
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  /** With an empty alternative: no token is asked for. */
  readonly security?: SecurityRequirement[];
  readonly deprecated?: boolean;
  readonly 'x-resource'?: string;
  /** One of the verbs that the engine serves; absent: an action. */
  readonly 'x-verb'?: VerbName;
  readonly 'x-alias'?: string;
  /** The root element of an action's value in XML. */
  readonly 'x-xml-root'?: string;
  readonly 'x-module'?: Module;
  /** The operation lies below a record of another resource, whose id the resource's `field` holds; `record` says where the id of its own record is. */
  readonly 'x-parent'?: {
    readonly resource: string;
    readonly field: string;
    readonly record?: { readonly in: 'path' | 'query' | 'body'; readonly name: string };
  };
  /** It has been withdrawn: whoever calls it is told so. */
  readonly 'x-withdrawn'?: boolean;
  /** With `deprecated`: since when (a date), and the path of what takes its place, placeholders included. */
  readonly 'x-deprecated-since'?: string;
  readonly 'x-successor'?: string;
}

/** An operation as it stands in the document. */
interface Referring extends Declared {
  readonly parameters?: readonly (Parameter | Reference)[];
}

/** One operation, with the parameters that it declares. */
export interface Operation extends Declared {
  /** In lower case, as the document has it. */
  readonly method: string;
  /** With placeholders: `/clients/{id}`. */
  readonly path: string;
  /** The names of the placeholders whose values are ids. */
  readonly idNames: ReadonlySet<string>;
  /** The names of the query parameters. */
  readonly queryNames: ReadonlySet<string>;
  /** The names of the header parameters, in lower case. */
  readonly headerNames: readonly string[];
}

/** The published document, as far as requests are served by it. */
export type ApiDocument = Document & {
  readonly components?: {
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly schemas?: Readonly<Record<string, Schema>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Referring>>>>;
};

/** The operations of a document. @throws Error for a reference that leads nowhere */
export const operationsOf = ({ paths, components: { parameters, schemas } = {} }: ApiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries<Referring>(item).map(([method, { parameters: own = [], ...declared }]) => {
      const resolved = own.map(parameter => resolve(parameter, parameters));
      const namesIn = (place: string, ...given: readonly Parameter[]) =>
        given.filter(parameter => parameter.in === place).map(({ name }) => name);
      const integers = resolved.filter(({ schema }) => schema && resolve(schema, schemas).type === 'integer');
      return {
        ...declared,
        method,
        path,
        idNames: new Set(namesIn('path', ...integers)),
        queryNames: new Set(namesIn('query', ...resolved)),
        headerNames: namesIn('header', ...resolved).map(name => name.toLowerCase()),
      };
    }),
  );

/** What a reference leads to; what is none is it itself. */
const resolve = <T extends object>(value: T | Reference, targets: Readonly<Record<string, T>> = {}): T => {
  if (!isReference(value)) return value;
  const target = targets[value.$ref.split('/').at(-1) ?? ''];
  if (!target) throw new Error(`The document has no ${value.$ref}.`);
  return target;
};

const isReference = (value: object): value is Reference => '$ref' in value;

/** Whether the operation takes a JSON body. */
export const takesJson = ({ requestBody }: Operation): boolean =>
  requestBody !== undefined && Object.hasOwn(requestBody.content, 'application/json');

/** Whether the operation takes a body of any bytes, in place of JSON. */
export const takesRawBody = (operation: Operation): boolean =>
  operation.requestBody !== undefined && !takesJson(operation);
