import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { document, type Node } from '../support/conformance/document.ts';

/** Returns the schemas directly within a schema, by their place in it. */
const within = ({ items, additionalProperties, properties, patternProperties, anyOf, oneOf, allOf }: Node) =>
  Object.entries({ items, additionalProperties, ...[anyOf ?? oneOf ?? allOf ?? []].flat() }).concat(
    Object.entries({ ...(properties as object), ...(patternProperties as object) }),
  );

/** Returns the schemas of all request bodies at any depth, by their place in the document. */
const inputSchemas = (): ReadonlyMap<string, Node> => {
  const found = new Map<string, Node>();
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (typeof node.$ref === 'string') {
      const name = node.$ref.split('/').at(-1) ?? '';
      if (!found.has(name)) visit(document.components.schemas?.[name], name);
    }
    found.set(place, node);
    for (const [key, child] of within(node)) visit(child, `${place}.${key}`);
  };
  for (const item of Object.values(document.paths)) {
    for (const { operationId, requestBody } of Object.values(item))
      for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, operationId);
  }
  return found;
};

describe('the schemas of request bodies', () => {
  const schemas = [...inputSchemas()];
  const placesOf = (wanted: (schema: Node) => boolean) =>
    schemas.filter(([, schema]) => wanted(schema)).map(([place]) => place);

  it('are all reached', () => assert.ok(schemas.length > 500));

  it('say of every object whether it may have other members', () => {
    const open = placesOf(schema => 'properties' in schema && !('additionalProperties' in schema));
    assert.deepEqual(open, []);
  });

  it('have no default, which generated clients would turn into a required member', () => {
    assert.deepEqual(
      placesOf(schema => 'default' in schema),
      [],
    );
  });
});
