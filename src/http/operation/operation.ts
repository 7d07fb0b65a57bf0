import type { Operation as BackendOperation, Document, SecurityRequirement } from 'openapi-backend';
import type { Module } from '../../core/resource.ts';
import type { VerbName } from '../../core/verb-names.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly type?: string | readonly string[] };
}

interface Reference {
  readonly $ref: string;
}

/** What the document says of an operation (OpenAPI 3.1, "Operation Object"), as far as requests are served by it. */
interface Declared {
  readonly operationId: string;
  readonly requestBody?: Exclude<BackendOperation['requestBody'], Reference>;
  /** With an empty alternative: no token is asked for. */
  readonly security?: SecurityRequirement[];
  readonly deprecated?: boolean;
  readonly 'x-resource'?: string;
  /** One of the verbs that the engine serves; absent: an action. */
  readonly 'x-verb'?: VerbName;
  readonly 'x-alias'?: string;
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

/** One operation, the references of its parameters resolved. */
export interface Operation extends Declared {
  /** In lower case, as the document has it. */
  readonly method: string;
  /** With placeholders: `/clients/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** The names of the query parameters that it declares. */
  readonly queryNames: ReadonlySet<string>;
  /** The names, in lower case, of the header parameters that it declares. */
  readonly headerNames: readonly string[];
}

/** The published document, as far as requests are served by it. */
export type ApiDocument = Document & {
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Referring>>>>;
};

/** The operations of a document. @throws Error for a reference that leads nowhere */
export const operationsOf = ({ paths, components }: ApiDocument): readonly Operation[] => {
  const resolve = (parameter: Parameter | Reference): Parameter => {
    if (!('$ref' in parameter)) return parameter;
    const found = components?.parameters?.[parameter.$ref.slice('#/components/parameters/'.length)];
    if (!found) throw new Error(`The document has no ${parameter.$ref}.`);
    return found;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries<Referring>(item).map(([method, declared]) => {
      const parameters = (declared.parameters ?? []).map(resolve);
      const namesIn = (place: string) => parameters.filter(parameter => parameter.in === place).map(({ name }) => name);
      return {
        ...declared,
        method,
        path,
        parameters,
        queryNames: new Set(namesIn('query')),
        headerNames: namesIn('header').map(name => name.toLowerCase()),
      };
    }),
  );
};

/** The names of the placeholders whose values are ids. */
export const idNames = ({ parameters }: Operation): ReadonlySet<string> =>
  new Set(
    parameters
      .filter(({ in: place, schema }) => place === 'path' && schema?.type === 'integer')
      .map(({ name }) => name),
  );

/** Whether the operation takes a JSON body. */
export const takesJson = ({ requestBody }: Operation): boolean =>
  requestBody !== undefined && Object.hasOwn(requestBody.content, 'application/json');

/** Whether the operation takes a body of any bytes, in place of JSON. */
export const takesRawBody = (operation: Operation): boolean =>
  operation.requestBody !== undefined && !takesJson(operation);
