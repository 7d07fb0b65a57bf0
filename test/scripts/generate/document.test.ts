import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { resources } from '../../../generated/resources.ts';
import { repositoryDocument as document, operationsOf } from './support.ts';

describe('the document', () => {
  it('describes every schema and every property', () => {
    const bare: string[] = [];
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!schema.description) bare.push(name);
      for (const [property, { description, readOnly }] of Object.entries(schema.properties ?? {})) {
        // The read-only fields of an update are described by the record.
        if (!description && !readOnly) bare.push(`${name}.${property}`);
      }
    }
    assert.deepEqual(bare, []);
  });

  it('describes every operation, parameter, response and tag', () => {
    const bare: string[] = [];
    const { parameters, responses: shared } = document.components;
    for (const [name, { description }] of Object.entries({ ...parameters, ...shared }))
      if (!description) bare.push(name);
    for (const { name, description } of document.tags) if (!description) bare.push(name);
    for (const [, { operationId, summary, description, parameters: own, responses }] of operationsOf(document)) {
      if (!summary || !description) bare.push(operationId);
      for (const parameter of own) {
        if ('name' in parameter && !parameter.description) bare.push(`${operationId} ${parameter.name}`);
      }
      for (const [status, response] of Object.entries(responses)) {
        if (!('$ref' in response) && !response.description) bare.push(`${operationId} ${status}`);
      }
    }
    assert.deepEqual(bare, []);
  });

  it('has an example for every resource that its schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', ...document });
    for (const { singular } of Object.values(resources)) {
      const name = singular.replace(/(^|-)./g, text => text.toUpperCase().replace('-', ''));
      for (const shape of ['', 'WithRelations', 'Create', 'Update']) {
        const schema = document.components.schemas[name + shape];
        // Not every resource can be created or changed.
        if (!schema && (shape !== 'WithRelations' || document.components.schemas[name])) continue;
        const [example] = schema?.examples ?? [];
        assert.ok(example, `${name}${shape} has no example`);
        const validate = ajv.compile({ $ref: `document#/components/schemas/${name}${shape}` });
        assert.ok(validate(example), `${name}${shape}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  });

  it('shows every field in the example of its resource', () => {
    for (const { singular, fields } of Object.values(resources)) {
      const name = singular.replace(/(^|-)./g, text => text.toUpperCase().replace('-', ''));
      const [example] = document.components.schemas[`${name}WithRelations`]?.examples ?? [];
      assert.deepEqual(
        Object.keys(example ?? {}),
        fields.map(field => field.name),
      );
    }
  });

  it('names operations after resource and verb', () => {
    const clients = operationsOf(document).filter(([, operation]) => operation['x-resource'] === 'clients');
    assert.deepEqual(
      clients.map(([path, { operationId, 'x-verb': verb, tags }]) => [path, operationId, verb, ...tags]).sort(),
      [
        ['/clients', 'clients_create', 'create', 'clients'],
        ['/clients', 'clients_list', 'list', 'clients'],
        ['/clients/external/{external_id}', 'clients_deleteExternal', 'delete', 'clients'],
        ['/clients/external/{external_id}', 'clients_readExternal', 'read', 'clients'],
        ['/clients/external/{external_id}', 'clients_upsert', 'upsert', 'clients'],
        ['/clients/import', 'clients_import', 'import', 'clients'],
        ['/clients/{id}', 'clients_delete', 'delete', 'clients'],
        ['/clients/{id}', 'clients_read', 'read', 'clients'],
        ['/clients/{id}', 'clients_update', 'update', 'clients'],
      ],
    );
    const ids = operationsOf(document).map(([, { operationId }]) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.includes('eventFunctions_read'));
  });

  it('has an explicit status for every response', () => {
    const loose = operationsOf(document).filter(([, { responses }]) => 'default' in responses);
    assert.deepEqual(loose, []);
    const create = document.paths['/clients']?.post;
    const statuses = '201 400 401 403 404 405 408 409 410 412 413 414 415 422 429 431 500 503';
    assert.equal(Object.keys(create?.responses ?? {}).join(' '), statuses);
  });

  it('has each common response once, and the common parameters on every read and write', () => {
    const { responses, parameters } = document.components;
    for (const [path, { operationId, responses: own, parameters: taken }] of operationsOf(document)) {
      for (const status of ['400', '401', '403', '404', '408', '414', '429', '431', '500', '503'])
        assert.ok(refersTo(own[status], 'responses', responses), `${operationId} ${status}`);
      const names = taken.map(parameter =>
        'name' in parameter ? parameter.name : parameters[parameter.$ref.split('/').at(-1) ?? '']?.name,
      );
      assert.equal(new Set(names).size, names.length, operationId);
      const item = document.paths[path] ?? {};
      const method = Object.keys(item).find(key => item[key]?.operationId === operationId);
      const wanted = { get: ['If-None-Match'], put: ['Idempotency-Key'], post: ['Idempotency-Key'] };
      for (const name of ['X-Request-Id', ...(wanted[method as keyof typeof wanted] ?? [])])
        assert.ok(names.includes(name), operationId);
    }
  });

  it('serves no delete where the specification lists none, and marks the deprecated ones', () => {
    assert.equal(document.paths['/assignment-billings/{id}']?.delete, undefined);
    assert.equal(document.paths['/clients/{id}']?.delete?.deprecated, true);
    assert.equal(document.paths['/collections/{id}']?.delete?.deprecated, true);
  });

  it('has a path for each predefined listing, and its module on each operation of one', () => {
    const today = document.paths['/events/today']?.get;
    assert.deepEqual([today?.operationId, today?.['x-verb'], today?.['x-alias']], ['events_today', 'list', 'today']);
    assert.equal(document.paths['/checkins']?.post?.['x-module'], 'checkins');
    assert.equal(document.paths['/clients']?.post?.['x-module'], undefined);
  });

  it('has no path with an extension', () => {
    for (const path of Object.keys(document.paths)) assert.match(path, /^\/[a-z-]+(\/(\{[a-z_]+\}|[a-z-]+))*$/);
  });
});

const refersTo = (part: object | undefined, kind: string, components: Readonly<Record<string, object>>): boolean =>
  part !== undefined &&
  '$ref' in part &&
  Object.keys(components).some(name => part.$ref === `#/components/${kind}/${name}`);
