import type { Module } from '../../core/resource.ts';
import type { VerbName } from '../../core/verb-names.ts';

/** A JSON Schema as far as dispatch looks at one. */
interface Schema {
  readonly type?: string | readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

/** One operation of the published document, its references resolved (OpenAPI 3.1, "Operation Object"). */
export interface Operation {
  readonly operationId: string;
  /** In lower case, as the document has it. */
  readonly method: string;
  /** With placeholders: `/clients/{id}`. */
  readonly path: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Readonly<Record<string, unknown>> };
  /** By status. */
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  /** Empty, or with an empty alternative: no token is asked for. */
  readonly security?: readonly object[];
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

/** The names of the placeholders whose values are ids. */
export const idNames = ({ parameters = [] }: Operation): ReadonlySet<string> =>
  new Set(
    parameters
      .filter(({ in: place, schema }) => place === 'path' && schema?.type === 'integer')
      .map(({ name }) => name),
  );

/** The names of the query parameters that the operation declares. */
export const queryNames = ({ parameters = [] }: Operation): ReadonlySet<string> =>
  new Set(parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name));

/** The names, in lower case, of the header parameters that the operation declares. */
export const headerNames = ({ parameters = [] }: Operation): readonly string[] =>
  parameters.filter(({ in: place }) => place === 'header').map(({ name }) => name.toLowerCase());

/** Whether the operation takes a body of any bytes, in place of JSON. */
export const takesRawBody = ({ requestBody }: Operation): boolean =>
  requestBody?.content !== undefined && !Object.hasOwn(requestBody.content, 'application/json');

/** Whether the operation asks for no token. */
export const isOpen = ({ security }: Pick<Operation, 'security'>): boolean =>
  security !== undefined && (security.length === 0 || security.some(scheme => Object.keys(scheme).length === 0));
