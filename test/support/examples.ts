import assert from 'node:assert/strict';
import { document, type Node, type PathOperation, resolve } from './conformance/document.ts';
import { exampleTarget, hasQuery } from './conformance/example-targets.ts';

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
  const [raw] = Object.values(requestBody.content) as { readonly example?: string }[];
  if (!schema) return Buffer.from(raw?.example ?? 'A small file.\n');
  const example = exampleOf(schema);
  assert.ok(example, `${operationId} has no example of a body: add @example to the body's model`);
  return example;
};

const exampleFor = (path: string, method: string, operation: PathOperation): Example => {
  const more = hasQuery(operation, 'dry_run') ? [['dry_run', 'true']] : [];
  return {
    operation,
    method: method.toUpperCase(),
    target: exampleTarget(path, operation, more),
    body: bodyOf(operation),
  };
};

/** The example of each operation of the document, reads first. */
export const examples: readonly Example[] = Object.entries(document.paths)
  .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => exampleFor(path, method, operation)))
  .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
