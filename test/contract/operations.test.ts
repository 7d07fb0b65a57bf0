import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import type { ApiResponse, Client } from '../support/app.ts';
import { forEachApp } from '../support/for-each-app.ts';
import { bodyFor, type Operation, operationOf, operations, pathOf, violations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;
const never = 9_007_199_254_740_991;

/** Headers that differ between equal requests, and the length, which an id has a part in. */
const varying = /^(date|content-length|x-request-id|x-rate-limit-.*|link)$/;

/** Returns the parts of a response that must be equal for another tenant's id and for an id that never existed. */
const comparable = ({ status, text, headers }: ApiResponse) => ({
  status,
  body: text.replace(/"request_id": "[^"]+"/, '').replaceAll(/\b\d+\b/g, '#'),
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !varying.test(name))),
});

/** Returns another value of a field. */
const otherThan = (value: unknown, { type, values = [], pattern = '' }: Field): unknown => {
  const other = values.find(candidate => candidate !== value);
  if (other !== undefined) return other;
  if (type === 'flag') return value === 1 ? 0 : 1;
  if (type === 'date') return '2001-01-01';
  if (type === 'date_time') return '2001-01-01T00:00:00Z';
  if (type !== 'text') return Number(value ?? 0) + 1;
  return ['another', '4711', 'XAU'].find(text => new RegExp(pattern).test(text));
};

const withVerb = (verb: string): readonly Operation[] => operations.filter(operation => operation.verb === verb);

forEachApp((client, app) => {
  const scene = new Scene(client);
  let other: Client;
  let otherScene: Scene;

  before(async () => {
    other = await app.newClient();
    otherScene = new Scene(other);
  });

  /** Sends a request of an operation, with ids for its placeholders. */
  const ask = async (
    operation: Operation,
    id: number,
    {
      from = client,
      headers = {},
      parentId = id,
    }: { from?: Client; headers?: Record<string, string>; parentId?: number } = {},
  ) => {
    // Without the parameter an upsert creates the record that there is not.
    const path = pathOf(operation, id, parentId) + (operation.verb === 'upsert' ? '?create=false' : '');
    const writes = operation.method === 'POST' || operation.method === 'PUT';
    const response = await from.call(operation.method, path, {
      headers,
      ...(writes && { body: bodyFor(operation, id) }),
    });
    if (response.status !== 304)
      assert.deepEqual(violations(operation, response.status, response.body), [], response.text);
    return response;
  };

  describe('every operation', () => {
    for (const operation of operations.filter(({ open }) => !open)) {
      it(`${operation.operationId} is 401 without a token`, async () => {
        const response = await ask(operation, 1, { headers: { Authorization: '' } });
        assert.equal(response.status, 401);
        assert.equal(response.body.code, 'missing_token');
        assert.equal(response.headers['www-authenticate'], 'Bearer');
      });

      it(`${operation.operationId} is 401 with another tenant's token`, async () => {
        const response = await ask(operation, 1, { headers: { Authorization: `Bearer ${other.token}` } });
        assert.equal(response.status, 401);
        assert.equal(response.body.code, 'invalid_token');
      });
    }
  });

  describe('every write', () => {
    // What belongs to no resource is for sandboxes: test/resources/sandbox.
    for (const operation of operations.filter(({ method, resource }) => method !== 'GET' && resource !== '')) {
      it(`${operation.operationId} is 405 for a read-only API user`, async () => {
        const response = await ask(operation, 1, { headers: { Authorization: `Bearer ${client.readOnlyToken}` } });
        assert.equal(response.status, 405);
        assert.equal(response.body.code, 'read_only_user');
        assert.equal(response.headers.allow, 'GET, HEAD');
      });
    }
  });

  describe('every operation of a module', () => {
    let without: Client;
    before(async () => {
      without = await app.newClient({ modules: new Set() });
    });
    const ofModules = operations.filter(({ module, resource }) => module ?? table[resource]?.module);
    for (const operation of ofModules) {
      it(`${operation.operationId} is 403 for a tenant without it`, async () => {
        const response = await ask(operation, 1, { from: without });
        assert.equal(response.status, 403);
        assert.equal(response.body.code, 'module_disabled');
      });
    }
  });

  describe('every record of another tenant', () => {
    for (const operation of operations.filter(({ placeholders }) => placeholders.length > 0)) {
      it(`is for ${operation.operationId} as if it had never existed`, async () => {
        const { resource, parent } = operation;
        const parentId = parent && (await otherScene.idOf(parent.resource));
        const isWhole = parent !== undefined && !parent.record;
        const id = isWhole ? Number(parentId) : await otherScene.idOf(resource);
        const path = await otherScene.recordPath(isWhole ? parent.resource : resource, id);
        const before = (await other.call('GET', path)).text;
        const response = await ask(operation, id, { parentId: parentId ?? id });
        assert.equal(response.status, 404, response.text);
        assert.equal(response.body.code, 'not_found');
        assert.deepEqual(comparable(response), comparable(await ask(operation, never)));
        assert.equal((await other.call('GET', path)).text, before);
      });
    }

    for (const operation of withVerb('list').filter(({ parent }) => !parent)) {
      it(`is in no listing of ${operation.resource}, whatever the filter`, async () => {
        const id = await otherScene.idOf(operation.resource);
        const { key = 'id', fields = [] } = table[operation.resource] ?? {};
        if (!fields.some(({ name }) => name === key)) {
          const texts = async (by: Client): Promise<string[]> =>
            (await by.call('GET', `${operation.path}?limit=1000`)).body.map((record: object) => JSON.stringify(record));
          const [own, others] = [await texts(client), new Set(await texts(other))];
          assert.ok(others.size > 0 && own.every(text => !others.has(text)));
          return;
        }
        for (const filter of [`${key}=${id}`, `${key}=-${never}`, `${key}[]=>0&limit=1000`]) {
          const { body } = await client.call('GET', `${operation.path}?${filter}&fields=${key}`);
          assert.ok(body.every((record: Record<string, number>) => record[key] !== id));
        }
      });
    }
  });

  describe('every resource whose records are not created by the verb', () => {
    for (const { name, fields, key, relations } of Object.values(table)) {
      const [list, read] = [operationOf(name, 'list'), operationOf(name, 'read')];
      if (!list || !read || operationOf(name, 'create')?.verb) continue;
      it(`returns ${name} as documented, with every field and relation`, async () => {
        const id = await scene.idOf(name);
        const [listing, record] = [await ask(list, id), await ask(read, id)];
        assert.deepEqual([listing.status, record.status], [200, 200], record.text);
        assert.deepEqual(
          Object.keys(record.body),
          fields.map(field => field.name),
        );
        assert.deepEqual(
          listing.body.find((listed: Record<string, unknown>) => listed[key] === id),
          record.body,
        );
        for (const { name: relation, short, many } of relations) {
          for (const asked of [relation, short]) {
            const response = await client.call('GET', `/${name}/${id}?embed=${asked}`);
            assert.deepEqual(violations(read, response.status, response.body), []);
            assert.equal(Array.isArray(response.body[asked]), many, asked);
          }
        }
      });
    }
  });

  describe('every update', () => {
    for (const { resource, operationId } of withVerb('update')) {
      const locked = (table[resource]?.fields ?? []).filter(
        ({ access, computed, type }) => (access === 'read' || access === 'create') && !computed && type !== 'json',
      );
      it(`${operationId} rejects another value of a field that it cannot change, all at once`, async () => {
        const path = await scene.recordPath(resource, await scene.idOf(resource));
        const record = (await client.call('GET', path)).body;
        const body = Object.fromEntries(locked.map(field => [field.name, otherThan(record[field.name], field)]));
        const response = await client.call('PUT', path, { body });
        assert.equal(response.status, 422, response.text);
        const found = response.body.errors.map(({ code, field }: { code: string; field: string }) => [field, code]);
        assert.deepEqual(Object.fromEntries(found), Object.fromEntries(locked.map(({ name }) => [name, 'read_only'])));
        assert.deepEqual((await client.call('GET', path)).body, record);
      });
    }
  });

  for (const resource of Object.values(table)) {
    const operation = (verb: string) => operationOf(resource.name, verb) as Operation;
    if (!operation('create')?.verb) continue;
    const listPath = () => scene.pathOf(operation('list'));
    const recordPath = (id: number) => scene.recordPath(resource.name, id);
    const parentId = async () => {
      const { parent } = operation('read');
      return parent ? { parentId: await scene.idOf(parent.resource) } : {};
    };

    describe(resource.name, () => {
      it('returns its listing and a record as documented, with every field', async () => {
        const id = await scene.idOf(resource.name);
        const listing = await ask(operation('list'), id, await parentId());
        assert.equal(listing.status, 200);
        assert.ok(listing.body.length > 0);
        const record = await ask(operation('read'), id, await parentId());
        assert.equal(record.status, 200);
        assert.deepEqual(
          Object.keys(record.body),
          resource.fields.map(({ name }) => name),
        );
        assert.deepEqual(
          listing.body.find((listed: Record<string, unknown>) => listed[resource.key] === id),
          record.body,
        );
      });

      it('is created at the URL in Location, and stored as sent', async () => {
        const body = await scene.bodyOf(resource.name);
        const path = await scene.pathOf(operation('create'));
        const response = await client.call('POST', path, { body });
        assert.deepEqual(violations(operation('create'), response.status, response.body), []);
        assert.equal(response.status, 201, response.text);
        const location = String(response.headers.location);
        assert.equal(location, `/api/v1${path}/${response.body[resource.key]}`);
        for (const [name, value] of Object.entries(body)) assert.deepEqual(response.body[name], value, name);
        assert.deepEqual((await client.call('GET', location.replace('/api/v1', ''))).body, response.body);
      });

      it('accepts a record as it was read, and changes nothing', async () => {
        if (!operation('update')) return;
        const id = await scene.idOf(resource.name);
        const { body } = await ask(operation('read'), id, await parentId());
        const response = await client.call('PUT', await recordPath(id), { body });
        assert.equal(response.status, 200, response.text);
        assert.deepEqual(response.body, body);
      });

      it('rejects fields that are unknown or cannot be written, all at once', async () => {
        const locked = resource.fields.filter(({ access }) => access === 'read').map(({ name }) => name);
        const body = { ...(await scene.bodyOf(resource.name)), nonsense: 1, tenant_id: 1, __proto__x: 1 };
        for (const name of locked) Object.assign(body, { [name]: 1 });
        const { status, body: error } = await client.call('POST', await scene.pathOf(operation('create')), { body });
        assert.equal(status, 422);
        const found = new Map(error.errors.map(({ code, field }: { code: string; field: string }) => [field, code]));
        for (const name of ['nonsense', 'tenant_id', '__proto__x']) assert.equal(found.get(name), 'unknown_field');
        for (const name of locked) assert.equal(found.get(name), 'read_only', name);
      });

      it('names every required field that is missing', async () => {
        const given = operation('create').parent?.field;
        const required = resource.fields.flatMap(({ name, required }) => (required && name !== given ? [name] : []));
        const { status, body } = await client.call('POST', await scene.pathOf(operation('create')), { body: {} });
        if (required.length === 0) return assert.equal(status, 201);
        assert.equal(status, 422);
        assert.deepEqual(
          body.errors.map(({ code, field }: { code: string; field: string }) => [code, field]).sort(),
          required.map(name => ['not_empty', name]).sort(),
        );
      });

      it('sorts and filters by every scalar field', async () => {
        await scene.create(resource.name);
        const key = resource.key;
        const path = await listPath();
        const { length } = (await client.call('GET', `${path}?fields=${key}`)).body;
        for (const { name, type } of resource.fields) {
          const [absent, present] = await Promise.all(
            ['null', '-null'].map(
              async term => (await client.call('GET', `${path}?${name}=${term}&fields=${key}`)).body.length,
            ),
          );
          assert.equal(absent + present, length, name);
          if (type === 'json') continue;
          for (const sign of ['', '-']) {
            const sorted = await client.call('GET', `${path}?sort=${sign}${name}&fields=${key},${name}`);
            assert.equal(sorted.status, 200, sorted.text);
            assert.equal(sorted.body.length, length, name);
          }
        }
      });

      it('embeds every relation under both its names', async () => {
        const id = await scene.idOf(resource.name);
        for (const { name, short, many } of resource.relations) {
          for (const asked of [name, short]) {
            const response = await client.call('GET', `${await recordPath(id)}?embed=${asked}`);
            assert.equal(response.status, 200, response.text);
            assert.deepEqual(violations(operation('read'), 200, response.body), []);
            assert.equal(Array.isArray(response.body[asked]), many, asked);
          }
        }
      });

      it('is deleted, or marked so where its resource keeps deleted records', async () => {
        if (!operation('delete')) return;
        const id = await scene.create(resource.name);
        const response = await ask(operation('delete'), id, await parentId());
        assert.equal(response.status, 204);
        assert.equal(response.text, '');
        const after = await ask(operation('read'), id, await parentId());
        if (!resource.keepsDeleted) return assert.equal(after.status, 404);
        assert.equal(after.body[resource.inactive?.field ?? ''], Number(resource.inactive?.value));
      });
    });
  }
});
