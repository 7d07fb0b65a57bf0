import type { Operation as BackendOperation, Document, SecurityRequirement } from 'openapi-backend';
import { httpHeaders } from '../../../generated/parameters.ts';
import { cachedBy } from '../../core/cached.ts';
import type { Bodies } from '../../engine/bodies.ts';
import { type Traits, traitsOf } from './traits.ts';

interface SchemaReference {
  readonly $ref: string;
}

interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly (ParameterSchema | SchemaReference)[];
}

interface DeclaredParameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: ParameterSchema | SchemaReference;
}

/** The members of an operation (OpenAPI 3.1, "Operation Object") that serving depends on. */
interface DeclaredOperation {
  readonly operationId: string;
  readonly requestBody?: Exclude<BackendOperation['requestBody'], SchemaReference>;
  /** By status. */
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
  /** An empty alternative means that no token is required. */
  readonly security?: SecurityRequirement[];
  readonly deprecated?: boolean;
}

/** An operation whose references are not resolved yet. */
interface Unresolved extends DeclaredOperation {
  readonly parameters?: readonly (DeclaredParameter | SchemaReference)[];
}

/** An operation with its traits and its declared parameters. */
export interface Operation extends DeclaredOperation, Traits {
  /** In lower case, as in the document. */
  readonly method: string;
  /** With placeholders: `/clients/{id}`. */
  readonly path: string;
  /** Its body: JSON, or any bytes; null: it takes none. */
  readonly takes: 'json' | 'bytes' | null;
  /** The names of the placeholders whose values are ids. */
  readonly idNames: ReadonlySet<string>;
  /** The names of the query parameters. */
  readonly queryNames: ReadonlySet<string>;
  /** The names of the boolean query parameters. */
  readonly switchNames: readonly string[];
  /** The names of its own header parameters, in lower case. */
  readonly headerNames: readonly string[];
}

/** The members of the published document that serving requests depends on. */
export type ApiDocument = Document & {
  readonly components?: {
    readonly parameters?: Readonly<Record<string, DeclaredParameter>>;
    readonly schemas?: Readonly<Record<string, ParameterSchema>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Unresolved>>>>;
};

const isRead: ReadonlySet<string> = new Set(httpHeaders);

/** Returns the operations of a document, one list per process. @throws Error for an unknown reference */
export const operationsOf = cachedBy((document: ApiDocument) => readOperations(document));

/** Returns what the checks of bodies need of a document. */
export const bodiesOf = (document: ApiDocument): Bodies => ({
  operations: operationsOf(document),
  components: document.components ?? {},
});

const readOperations = ({ paths, components: { parameters, schemas } = {} }: ApiDocument): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries<Unresolved>(item).map(([method, { parameters: own = [], ...declared }]) => {
      const resolved = own.map(parameter => resolve(parameter, parameters));
      const namesIn = (place: string, ...given: readonly DeclaredParameter[]) =>
        given.filter(parameter => parameter.in === place).map(({ name }) => name);
      const allows = (schema: ParameterSchema | SchemaReference, type: string): boolean => {
        const { type: own, anyOf = [] } = resolve(schema, schemas);
        return own === type || anyOf.some(alternative => allows(alternative, type));
      };
      const ofType = (type: string) => resolved.filter(({ schema }) => schema && allows(schema, type));
      return {
        ...declared,
        ...traitsOf(declared),
        method,
        path,
        takes: bodyOf(declared),
        idNames: new Set(namesIn('path', ...ofType('integer'))),
        queryNames: new Set(namesIn('query', ...resolved)),
        switchNames: namesIn('query', ...ofType('boolean')),
        headerNames: namesIn('header', ...resolved)
          .map(name => name.toLowerCase())
          .filter(name => !isRead.has(name)),
      };
    }),
  );

const bodyOf = ({ requestBody }: DeclaredOperation): Operation['takes'] => {
  if (!requestBody) return null;
  return Object.hasOwn(requestBody.content, 'application/json') ? 'json' : 'bytes';
};

/** Returns the target of a reference; any other value is returned unchanged. */
const resolve = <T extends object>(value: T | SchemaReference, targets: Readonly<Record<string, T>> = {}): T => {
  if (!isReference(value)) return value;
  const target = targets[value.$ref.split('/').at(-1) ?? ''];
  if (!target) throw new Error(`The document has no ${value.$ref}.`);
  return target;
};

const isReference = (value: object): value is SchemaReference => '$ref' in value;
