import { filterTypeOf, traitsOf } from '../../../src/http/operation/traits.ts';
import { type ApiChange, allows, breaks, compareMembers } from './finding.ts';
import { type Sameness, samenessOf } from './sameness.ts';
import { SchemaComparison } from './schemas.ts';
import type { Components, DocumentedSchema } from './variants.ts';

type Named<T> = Readonly<Record<string, T>>;

interface DocumentReference {
  readonly $ref?: string;
}

interface DocumentedParameter extends DocumentReference {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: DocumentedSchema;
}

interface DocumentedBody {
  readonly required?: boolean;
  readonly content?: Named<{ readonly schema?: DocumentedSchema }>;
}

interface DocumentedResponse extends DocumentedBody, DocumentReference {
  readonly headers?: Named<Omit<DocumentedParameter, 'name' | 'in'>>;
}

interface ComparedOperation {
  readonly operationId?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly object[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: DocumentedBody;
  readonly responses: Named<DocumentedResponse>;
}

/** The published document, as far as it is compared. */
export interface Document {
  readonly info: { readonly version: string };
  readonly paths: Named<Named<ComparedOperation>>;
  readonly webhooks?: Named<Named<ComparedOperation>>;
  readonly components: Named<Named<object>> & { readonly schemas: Components };
}

/** Returns the differences of two documents that a client can notice. */
export const compareDocuments = (old: Document, now: Document): readonly ApiChange[] => {
  const comparison = new DocumentComparison(old, now);
  return [
    ...compareMembers(operationsOf(old.paths), operationsOf(now.paths), {
      both: (operation, other, name) => comparison.operation(operation, other, name),
      removed: name => [breaks(name, 'the operation has been removed')],
      added: name => [allows(name, 'the operation is new')],
    }),
    ...compareMembers(operationsOf(old.webhooks ?? {}), operationsOf(now.webhooks ?? {}), {
      both: (webhook, other, name) => comparison.webhook(webhook, other, `webhook ${name.slice(5)}`),
      removed: name => [breaks(`webhook ${name.slice(5)}`, 'is no longer sent')],
      added: name => [allows(`webhook ${name.slice(5)}`, 'is new')],
    }),
  ];
};

/** Returns the operations by method and path. */
const operationsOf = (paths: Named<Named<ComparedOperation>>): Named<ComparedOperation> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );

/** Returns the component that a reference names; anything else unchanged. */
const resolve = <T extends DocumentReference>({ components }: Document, value: T): T => {
  if (!value.$ref) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  return { ...(components[kind]?.[name] as T), ...value, $ref: undefined };
};

class DocumentComparison {
  readonly #old: Document;
  readonly #now: Document;
  readonly #isSame: Sameness;
  readonly #schemas: SchemaComparison;
  readonly #seen = new Set<string>();

  constructor(old: Document, now: Document) {
    this.#old = old;
    this.#now = now;
    this.#isSame = samenessOf(old.components, now.components);
    this.#schemas = new SchemaComparison(old.components.schemas, now.components.schemas, this.#isSame);
  }

  operation(old: ComparedOperation, now: ComparedOperation, where: string): readonly ApiChange[] {
    // Most of them.
    if (this.#isSame(old, now)) return [];
    return [
      ...compareTraits(old, now, where),
      ...compareMembers(parametersOf(this.#old, old), parametersOf(this.#now, now), {
        both: (parameter, other, name) => this.#parameter(parameter, other, `${where} ${name}`),
        removed: name => [breaks(`${where} ${name}`, 'the parameter has been removed')],
        added: (name, { required }) =>
          required
            ? [breaks(`${where} ${name}`, 'a new parameter is required')]
            : [allows(`${where} ${name}`, 'the parameter is new')],
      }),
      ...this.#body(old.requestBody, now.requestBody, where),
      ...compareMembers(old.responses, now.responses, {
        both: (response, other, status) => this.#response(response, other, `${where} ${status}`),
        removed: status => [breaks(where, `the status ${status} has been removed`)],
        added: status => [(/^2/.test(status) ? breaks : allows)(where, `the status ${status} is new`)],
      }),
    ];
  }

  /** Compares what the service sends to receivers. */
  webhook(old: ComparedOperation, now: ComparedOperation, where: string): readonly ApiChange[] {
    return [
      ...compareMembers(parametersOf(this.#old, old), parametersOf(this.#now, now), {
        both: ({ schema }, other, name) => this.#schemas.compare(schema, other.schema, 'response', `${where} ${name}`),
        removed: name => [breaks(`${where} ${name}`, 'is no longer sent')],
        added: name => [allows(`${where} ${name}`, 'is new')],
      }),
      ...this.#content(old.requestBody ?? {}, now.requestBody ?? {}, 'response', where),
    ];
  }

  #parameter(old: DocumentedParameter, now: DocumentedParameter, where: string): readonly ApiChange[] {
    const [before, after] = [filterTypeOf(old), filterTypeOf(now)];
    return [
      ...(now.required && !old.required ? [breaks(where, 'is now required')] : []),
      ...(before !== after ? [breaks(where, `filters by ${after ?? 'none'} instead of ${before ?? 'none'}`)] : []),
      ...this.#schemas.compare(old.schema, now.schema, 'request', where),
    ];
  }

  #body(old: DocumentedBody | undefined, now: DocumentedBody | undefined, where: string): readonly ApiChange[] {
    if (!old) return now?.required ? [breaks(where, 'a body is now required')] : [];
    if (!now) return [breaks(where, 'a body is no longer accepted')];
    const isDemanded = now.required && !old.required;
    return [
      ...(isDemanded ? [breaks(where, 'a body is now required')] : []),
      ...this.#content(old, now, 'request', where),
    ];
  }

  /** Compares responses; each pair of components once. */
  #response(given: DocumentedResponse, other: DocumentedResponse, place: string): readonly ApiChange[] {
    const key = given.$ref && other.$ref && `${given.$ref} ${other.$ref}`;
    if (key && this.#seen.has(key)) return [];
    if (key) this.#seen.add(key);
    const where = key ? `response ${given.$ref?.split('/').at(-1)}` : place;
    const [old, now] = [resolve(this.#old, given), resolve(this.#now, other)];
    return [
      ...compareMembers(old.headers ?? {}, now.headers ?? {}, {
        both: (header, other, name) => {
          const [before, after] = [resolve(this.#old, header), resolve(this.#now, other)];
          if (before.required && !after.required) return [breaks(`${where} ${name}`, 'can now be missing')];
          return this.#schemas.compare(before.schema, after.schema, 'response', `${where} ${name}`);
        },
        removed: name => [breaks(`${where} ${name}`, 'the header has been removed')],
        added: name => [allows(`${where} ${name}`, 'the header is new')],
      }),
      ...this.#content(old, now, 'response', where),
    ];
  }

  #content(
    old: DocumentedBody,
    now: DocumentedBody,
    direction: 'request' | 'response',
    where: string,
  ): readonly ApiChange[] {
    return compareMembers(old.content ?? {}, now.content ?? {}, {
      both: ({ schema }, { schema: other }) =>
        schema && other ? this.#schemas.compare(schema, other, direction, `${where} ${direction}`) : [],
      removed: type => [breaks(where, `${type} is no longer a media type of the ${direction}`)],
      added: type => [allows(where, `${type} is a new media type of the ${direction}`)],
    });
  }
}

const parametersOf = (document: Document, { parameters = [] }: ComparedOperation): Named<DocumentedParameter> =>
  Object.fromEntries(
    parameters.map(parameter => {
      const found = resolve(document, parameter);
      return [`${found.in} parameter ${found.name}`, found];
    }),
  );

const isOpen = ({ security }: ComparedOperation): boolean =>
  security?.some(scheme => Object.keys(scheme).length === 0) ?? false;

const compareTraits = (old: ComparedOperation, now: ComparedOperation, where: string): readonly ApiChange[] => {
  const [before, after] = [traitsOf(old), traitsOf(now)];
  return [
    ...(old.operationId !== now.operationId
      ? [breaks(where, `operationId ${old.operationId} → ${now.operationId}: generated clients name it`)]
      : []),
    ...(isOpen(old) && !isOpen(now) ? [breaks(where, 'now needs a token')] : []),
    ...(after.module && after.module !== before.module ? [breaks(where, `now needs the module ${after.module}`)] : []),
    ...(after.withdrawn && !before.withdrawn ? [breaks(where, 'has been withdrawn')] : []),
    ...(now.deprecated && !old.deprecated ? [allows(where, 'is deprecated')] : []),
  ];
};
