import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import { scopes } from '../../src/administration/access.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import type { ApiResponse, Asked, Client } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { useApp } from '../support/for-each-app.ts';
import { operations, pathOf } from '../support/operations.ts';

type Call = (method: string, path: string, asked?: Asked) => Promise<ApiResponse>;

describe('the scopes of an API user', () => {
  const { client, app } = useApp(anyDatabase);
  let count = 0;
  let callWith: (...scopes: string[]) => Promise<Call>;

  before(() => {
    callWith = async (...scopes) => {
      const { id } = await createApiUser(client.database, client.tenant, {
        name: `may ${scopes.join(', ')} (${++count})`,
        readOnly: false,
        scopes,
      });
      const token = await app.tokenOf(client.tenant, id);
      return (...asked) => app.callAs({ tenant: client.tenant, token }, ...asked);
    };
  });

  const guarded = operations.filter(
    ({ resource, open }) =>
      (resources as Readonly<Record<string, Resource>>)[resource]?.scopes?.length !== 0 &&
      resource !== '' &&
      !open &&
      !['imports', 'import-results'].includes(resource),
  );

  it('are required by every operation of a resource: 403 without the scope to read it', async () => {
    const [languages, clients] = [await callWith('languages:read', 'languages:write'), await callWith('clients:read')];
    assert.ok(guarded.length > 150);
    for (const operation of guarded) {
      const { method, resource, operationId } = operation;
      const call = resource === 'languages' ? clients : languages;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const { status, body: error } = await call(method, pathOf(operation, 1), body);
      assert.deepEqual([operationId, status, error?.code], [operationId, 403, 'scope_missing']);
    }
  });

  it('let only read: 405 for every write', async () => {
    const call = await callWith('*:read');
    for (const operation of guarded) {
      const { method, operationId } = operation;
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const { status, body: error, headers } = await call(method, pathOf(operation, 1), body);
      if (method === 'GET') assert.ok(status !== 403 && status !== 405, `${operationId}: ${status}`);
      else
        assert.deepEqual(
          [operationId, status, error?.code, headers.allow],
          [operationId, 405, 'read_only_user', 'GET, HEAD'],
        );
    }
  });

  it('let write the resources that they name, and read what has no resource', async () => {
    const call = await callWith('clients:read', 'clients:write');
    assert.equal((await call('POST', '/clients', { body: { company: 'Lindenhof' } })).status, 201);
    for (const path of ['/me', '/changes', '/openapi.json']) assert.equal((await call('GET', path)).status, 200, path);
    const { api_user } = (await call('GET', '/me')).body;
    assert.deepEqual(api_user.scopes, ['clients:read', 'clients:write']);
  });

  it('are not needed for the names that other records have of contacts and planners, and these have nothing else of them', () => {
    const names = Object.values<Resource>(resources).flatMap(({ fields }) =>
      fields.flatMap(({ name }) => /(?:^|\.)(?:contact|planner)\.(.+)$/.exec(name)?.[1] ?? []),
    );
    assert.deepEqual(new Set(names), new Set(['first_name', 'last_name']));
  });

  it('hold for what is embedded', async () => {
    const call = await callWith('clients:read');
    const { status, body } = await call('GET', '/clients?embed=contacts');
    assert.deepEqual([status, body.code], [403, 'scope_missing']);
    const both = await callWith('clients:read', 'contacts:read');
    assert.equal((await both('GET', '/clients?embed=contacts')).status, 200);
  });

  it('that what hangs below other records needs are theirs, all of them', async () => {
    const paths: readonly (readonly [string, readonly string[]])[] = [
      ['/event-functions/1/candidates', ['event-functions:read', 'employees:read']],
      ['/events/gaps', ['event-functions:read']],
      ['/pay-runs/1/lines', ['pay-runs:read']],
    ];
    for (const [path, needed] of paths) {
      const call = await callWith(...needed);
      assert.notEqual((await call('GET', path)).status, 403, path);
      for (const scope of needed) {
        const others = needed.filter(other => other !== scope);
        const { status, body } = await (await callWith('languages:read', ...others))('GET', path);
        assert.deepEqual([path, status, body.code], [path, 403, 'scope_missing']);
        assert.ok(body.message.includes(scope), body.message);
      }
    }
  });

  it('are all listed in the guide, and no others', () => {
    const { info } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));
    const listed = new Set(
      [...info.description.matchAll(/^\| `(\S+:read)` \| `(\S+:write)` \|$/gm)].flatMap(match => match.slice(1)),
    );
    assert.deepEqual([...listed].toSorted(), scopes.toSorted());
  });

  it('hold for changes, whose other entries are left out', async () => {
    const own: Client = await app.newClient();
    const { id } = await createApiUser(own.database, own.tenant, {
      name: 'clients only',
      readOnly: false,
      scopes: ['clients:read'],
    });
    const token = await app.tokenOf(own.tenant, id);
    const call: Call = (...asked) => app.callAs({ tenant: own.tenant, token }, ...asked);
    await own.call('POST', '/clients', { body: { company: 'Lindenhof' } });
    await own.call('POST', '/employees', { body: { firstname: 'Mira', lastname: 'Sand' } });
    const shown = (await call('GET', '/changes?include=record')).body.changes;
    const told = Map.groupBy(shown as { resource: string; fields?: string[] }[], ({ fields }) => fields !== undefined);
    const resourcesOf = (whole: boolean) => [...new Set(told.get(whole)?.map(({ resource }) => resource))];
    // The fields of clients that tenants define are derived from attributes.
    assert.deepEqual([resourcesOf(true), resourcesOf(false)], [['clients'], ['attributes']]);
    const asked = await call('GET', '/changes?resource=employees');
    assert.deepEqual([asked.status, asked.body.code], [400, 'invalid_parameter']);
  });
});
