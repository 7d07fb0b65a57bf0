import type { Json } from '../../core/json/value.ts';
import type { Category } from '../../core/resource/categories.ts';
import { type MaskedSchema, masked, maskOf, sensitiveKeyword } from '../../core/resource/mask.ts';
import { referencesOf } from '../../core/resource/references.ts';
import type { Field, Resource } from '../../core/resource/resource.ts';
import { traitsOf } from '../operation/traits.ts';
import { type DocumentNode, operationsOf, schemasOf } from './parts.ts';

/**
 * Removes from a document what the categories hide.
 * Members of schemas and of their examples, filters, relations, and operations whose bodies need a hidden member.
 */
export const hideCategories = (
  document: DocumentNode,
  resources: Readonly<Record<string, Resource>>,
  hidden: readonly Category[],
): void => {
  if (hidden.length === 0) return;
  const isHidden = ({ sensitive }: Field): boolean => sensitive !== undefined && hidden.includes(sensitive);
  for (const resource of Object.values(resources)) {
    const names = new Set(resource.fields.filter(isHidden).map(({ name }) => name));
    const relations = resource.relations.filter(
      ({ from, to, resource: target }) =>
        names.has(from) || resources[target]?.fields.some(field => field.name === to && isHidden(field)),
    );
    const operations = operationsOf(document, resource);
    // Derived fields and relations are not marked in the document.
    const unmarked = [...names, ...relations.flatMap(({ name, short }) => [name, short])];
    for (const schema of schemasOf(document, operations))
      for (const name of unmarked)
        if (schema?.properties?.[name])
          schema.properties[name] = { ...schema.properties[name], [sensitiveKeyword]: hidden[0] };
    for (const operation of operations) hideParameters(operation, unmarked);
    const { readByCategory } = resource;
    if (readByCategory !== undefined) hideCategoryValues(document, operations, readByCategory, hidden);
    if (resource.readWhereReferred) markReferring(document, resource, resources, isHidden);
  }
  for (const [path, item] of Object.entries<DocumentNode>(document.paths)) {
    for (const [method, operation] of Object.entries<DocumentNode>(item))
      if (needsHidden(document, operation, hidden)) delete item[method];
    if (Object.keys(item).length === 0) delete document.paths[path];
  }
  hideExamples(document, hidden);
  removeMembers(document, hidden);
};

const resolveIn =
  (document: DocumentNode) =>
  (reference: string): MaskedSchema =>
    document.components.schemas[reference.split('/').at(-1) as string];

/** Removes filters by the names, and examples of other parameters that contain one of them. */
const hideParameters = (operation: DocumentNode, names: readonly string[]): void => {
  const isOf = (text: unknown): boolean =>
    String(text)
      .split(/[^\w.-]+|^-/)
      .some(word => names.some(name => word === name || word.startsWith(`${name}.`)));
  operation.parameters = operation.parameters
    ?.filter(({ name, in: place }: DocumentNode) => place !== 'query' || !names.includes(name))
    .map((parameter: DocumentNode) => {
      const { examples } = parameter.schema ?? {};
      if (!examples?.some(isOf)) return parameter;
      return {
        ...parameter,
        schema: { ...parameter.schema, examples: examples.filter((text: unknown) => !isOf(text)) },
      };
    });
};

/** Names the resources of visible fields at schemas of records that exist where these refer to them. */
const markReferring = (
  document: DocumentNode,
  resource: Resource,
  resources: Readonly<Record<string, Resource>>,
  isHidden: (field: Field) => boolean,
): void => {
  const refers = (field: Field): boolean =>
    referencesOf(field).some(({ resource: target }) => target === resource.name);
  const referring = Object.values(resources).filter(({ fields }) =>
    fields.some(field => !isHidden(field) && refers(field)),
  );
  const definers = Object.values(resources).flatMap(({ dynamic }) => dynamic?.split('.')[0] ?? []);
  for (const schema of schemasOf(document, operationsOf(document, resource)))
    schema['x-derived-from'] = [...new Set([...referring.map(({ name }) => name), ...definers])].sort();
};

/** Removes the categories from the values of the property in the operations' schemas. */
const hideCategoryValues = (
  document: DocumentNode,
  operations: readonly DocumentNode[],
  name: string,
  hidden: readonly Category[],
): void => {
  const without = ({ $ref, anyOf, oneOf, ...schema }: DocumentNode): DocumentNode => ({
    ...($ref && without(resolveIn(document)($ref))),
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(without).filter(({ oneOf = ['any'] }: DocumentNode) => oneOf.length > 0) }),
    ...(oneOf && { oneOf: oneOf.filter(({ const: value }: DocumentNode) => !hidden.includes(value)) }),
  });
  for (const schema of schemasOf(document, operations))
    if (schema?.properties?.[name]) schema.properties[name] = without(schema.properties[name]);
};

const needsHidden = (document: DocumentNode, operation: DocumentNode, hidden: readonly Category[]): boolean => {
  if (traitsOf(operation).verb !== undefined) return false;
  const schema = operation?.requestBody?.content?.['application/json']?.schema;
  const body = schema?.$ref ? resolveIn(document)(schema.$ref) : schema;
  const mask = body && maskOf(body, hidden, resolveIn(document));
  return (body?.required ?? []).some((name: string) => mask?.hidden.has(name));
};

const hideExamples = (document: DocumentNode, hidden: readonly Category[]): void => {
  for (const schema of Object.values<DocumentNode>(document.components.schemas)) {
    const mask = schema.examples && maskOf(schema, hidden, resolveIn(document));
    if (mask) schema.examples = schema.examples.map((example: Json) => masked(mask, example));
  }
};

/** Removes the sensitive members of all schemas at any depth. */
const removeMembers = (node: DocumentNode, hidden: readonly Category[]): void => {
  if (typeof node !== 'object' || node === null) return;
  if (typeof node.properties === 'object' && node.properties !== null) {
    const names = Object.keys(node.properties).filter(name =>
      hidden.includes(node.properties[name]?.[sensitiveKeyword]),
    );
    for (const name of names) delete node.properties[name];
    if (names.length > 0 && Array.isArray(node.required))
      node.required = node.required.filter((name: string) => !names.includes(name));
  }
  for (const child of Object.values(node)) removeMembers(child, hidden);
};
