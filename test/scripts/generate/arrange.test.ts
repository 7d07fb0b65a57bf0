import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { arrangeDocument } from '../../../scripts/generate/document/arrange.ts';

const operation = (tag: string) => ({ tags: [tag] });
const document = {
  tags: [{ name: 'forms' }, { name: 'clients' }],
  paths: {
    '/forms': { get: operation('forms') },
    '/clients/{id}/file': { get: operation('clients') },
    '/clients/{id}': { delete: operation('clients'), get: operation('clients') },
    '/forms/{id}/clients': { get: operation('clients') },
    '/clients/status': { put: operation('clients') },
    '/clients': { post: operation('clients'), get: operation('clients') },
  },
  components: { schemas: { Form: {}, Client: {} } },
} as unknown as OpenAPI3Document;

describe('the order of the document', () => {
  const { tags = [], paths, components } = arrangeDocument(document);

  it('has tags as they are declared, and components by name', () => {
    assert.deepEqual(
      tags.map(({ name }) => name),
      ['forms', 'clients'],
    );
    assert.deepEqual(Object.keys(components?.schemas ?? {}), ['Client', 'Form']);
  });

  it('has the paths of a tag together, the shorter and the literal ones first', () => {
    assert.deepEqual(Object.keys(paths), [
      '/forms',
      '/clients',
      '/clients/status',
      '/clients/{id}',
      '/clients/{id}/file',
      '/forms/{id}/clients',
    ]);
  });

  it('has the operations of a path by method', () => {
    assert.deepEqual(Object.keys(paths['/clients/{id}'] ?? {}), ['get', 'delete']);
  });
});
