import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { sensitiveKeyword } from '../../../src/core/resource/mask.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import { document, type Node, resolve } from '../../support/conformance/document.ts';
import { sensitiveFields } from '../../support/sensitive-fields.ts';

const all: readonly Resource[] = Object.values(resources);

describe('sensitive fields', () => {
  for (const [category, wanted] of Object.entries(sensitiveFields)) {
    it(`of the category ${category} are marked, and no others`, () => {
      const marked = all.flatMap(({ name, fields }) => {
        const names = fields.filter(({ sensitive }) => sensitive === category).map(field => field.name);
        return names.length > 0 ? [`${name}: ${names.toSorted().join(', ')}`] : [];
      });
      assert.deepEqual(marked, wanted);
    });
  }

  it('are never required', () => {
    const required = all.flatMap(({ name, fields }) =>
      fields.filter(field => field.sensitive && field.required).map(field => `${name}.${field.name}`),
    );
    assert.deepEqual(required, []);
  });

  it('are marked in the bodies of actions, too', () => {
    const named = Object.values(document.paths).flatMap(item =>
      Object.values(item).flatMap(operation => {
        const { 'x-resource': name, 'x-verb': verb }: Node = { ...operation };
        const schema = operation.requestBody?.content['application/json']?.schema;
        const resource = all.find(each => each.name === name);
        if (!schema || !resource || verb !== undefined) return [];
        const { properties = {} } = resolve<{ properties?: Record<string, Node> }>(schema);
        const sensitive = resource.fields.filter(field => field.sensitive && properties[field.name]);
        return sensitive.map(field => [
          `${operation.operationId}: ${field.name}`,
          properties[field.name]?.[sensitiveKeyword],
          field.sensitive,
        ]);
      }),
    );
    assert.ok(named.length > 4, String(named.length));
    assert.deepEqual(
      named.filter(([, marked, category]) => marked !== category),
      [],
    );
  });

  it('that hold people’s data are marked under whatever resource they are shown', () => {
    const personal = /^(email|phone|mobile|birthday|gender|zip|address_first|address_second|latitude|longitude|hash)$/;
    const isOpen = ({ name, sensitive }: Field) => personal.test(name.split('.').at(-1) ?? '') && !sensitive;
    const open = all.flatMap(({ name, fields }) => fields.filter(isOpen).map(field => `${name}.${field.name}`));
    // Places and companies are no people.
    assert.deepEqual(open, [
      'clients.address_first',
      'clients.address_second',
      'clients.zip',
      'locations.zip',
      'locations.latitude',
      'locations.longitude',
    ]);
  });
});
