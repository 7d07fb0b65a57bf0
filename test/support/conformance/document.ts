import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A reference, or a part of the document. */
export type Node = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Node;
}

export interface Content {
  readonly schema?: Node;
}

export interface Response {
  readonly headers?: Readonly<Record<string, Node>>;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface PathOperation {
  readonly operationId: string;
  readonly parameters?: readonly Node[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Node>>;
}

/** What the service sends to receivers of a webhook. */
export interface SentOperation {
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Node } } };
}

/** The published document. */
export const document: {
  readonly webhooks: Readonly<Record<string, { readonly post: SentOperation }>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Node>>>>;
} = JSON.parse(readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'));

/** Returns the component that a reference names; anything else unchanged. */
export const resolve = <T>(node: Node): T => {
  if (typeof node.$ref !== 'string') return node as T;
  const [, , kind = '', name = ''] = node.$ref.split('/');
  return document.components[kind]?.[name] as T;
};

// Each schema is compiled once, and not optimized: that takes longer than the values that are checked.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
formats.default(ajv);
// These formats only describe a value.
for (const name of ['currency', 'int', 'json', 'phone', 'time-zone']) ajv.addFormat(name, true);
ajv.addSchema({ $id: 'document', ...document });
/** By the node of the document, and by its text, since many nodes have the same. */
const validators = { byNode: new WeakMap<Node, ValidateFunction>(), byText: new Map<string, ValidateFunction>() };

const validatorOf = (schema: Node): ValidateFunction => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const validate = validators.byText.get(text) ?? ajv.compile(JSON.parse(text));
  validators.byText.set(text, validate);
  validators.byNode.set(schema, validate);
  return validate;
};

/** Returns where and how a value does not match a schema of the document. */
export const mismatches = (schema: Node, value: unknown): readonly string[] => {
  const validate = validators.byNode.get(schema) ?? validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'the value'} ${message} ${params.additionalProperty ?? ''}`,
  );
};
