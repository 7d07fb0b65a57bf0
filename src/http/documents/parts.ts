import type { Resource } from '../../core/resource/resource.ts';
import { traitsOf } from '../operation/traits.ts';

/** A part of a document. */
// biome-ignore lint/suspicious/noExplicitAny: parts of a document, whose shape the generator's tests check
export type DocumentNode = any;

/** The methods of operations. */
export const methods = ['get', 'put', 'post', 'delete'];

/** Returns all operations of a document. */
export const everyOperation = (document: DocumentNode): DocumentNode[] =>
  Object.values<DocumentNode>(document.paths).flatMap(item => methods.flatMap(method => item[method] ?? []));

/** Returns the operations of a resource that the engine serves. */
export const operationsOf = (document: DocumentNode, { name }: Resource): DocumentNode[] =>
  everyOperation(document).filter(operation => {
    const { resource, verb } = traitsOf(operation);
    return resource === name && verb !== undefined;
  });

/**
 * Returns the schemas of records in requests and responses.
 * With a verb, only those of its requests; otherwise also those of embedded records.
 */
export const schemasOf = (
  document: DocumentNode,
  operations: readonly DocumentNode[],
  verb?: string,
): DocumentNode[] => {
  const contents = operations
    .filter(operation => verb === undefined || traitsOf(operation).verb === verb)
    .flatMap(({ requestBody, responses }) => [
      requestBody,
      ...(verb === undefined ? [responses?.['200'], responses?.['201']] : []),
    ]);
  const names = contents.flatMap(content => {
    const schema = content?.content?.['application/json']?.schema;
    const { $ref } = schema?.items ?? schema ?? {};
    const name = $ref?.split('/').at(-1);
    return $ref ? [name, `Embedded${name.replace(/WithRelations$/, '')}`] : [];
  });
  return [...new Set(names)].flatMap(name => document.components.schemas[name] ?? []);
};
