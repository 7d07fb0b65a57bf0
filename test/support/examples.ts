import assert from 'node:assert/strict';
import { document, type Node, type Parameter, type PathOperation, resolve } from './conformance/document.ts';

/** What an explorer sends for an operation: the document's examples. */
export interface Example {
  readonly operation: PathOperation;
  readonly method: string;
  readonly target: string;
  /** Undefined: none. */
  readonly body: unknown;
}

/** Writes whose examples exclude each other are sent as dry runs; the others in this order. */
const order = ['GET', 'POST', 'PUT', 'DELETE'];

const exampleOf = (schema: Node): unknown => {
  const [example] = (resolve<Node>(schema).examples ?? schema.examples ?? []) as readonly unknown[];
  return example;
};

const bodyOf = ({ operationId, requestBody }: PathOperation): unknown => {
  if (!requestBody) return undefined;
  const schema = requestBody.content['application/json']?.schema;
  if (!schema) return Buffer.from('A small file.\n');
  const example = exampleOf(schema);
  assert.ok(example, `${operationId} has no example of a body: add @example to the body's model`);
  return example;
};

const exampleFor = (path: string, method: string, operation: PathOperation): Example => {
  const parameters = (operation.parameters ?? []).map(parameter => resolve<Parameter>(parameter));
  const values = (place: string) =>
    parameters.flatMap(({ in: own, name, required, schema }) => {
      const example = required ? ((schema.examples as readonly unknown[] | undefined)?.[0] ?? null) : undefined;
      return own === place && example !== undefined ? [[name, String(example)] as const] : [];
    });
  const query = new URLSearchParams(Object.fromEntries(values('query')));
  if (parameters.some(({ name }) => name === 'dry_run')) query.set('dry_run', 'true');
  const filled = values('path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);
  return { operation, method: method.toUpperCase(), target: `${filled}?${query}`, body: bodyOf(operation) };
};

/** The example of each operation of the document, reads first. */
export const examples: readonly Example[] = Object.entries(document.paths)
  .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => exampleFor(path, method, operation)))
  .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
