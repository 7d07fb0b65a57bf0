import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { operationOf } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';

const table: Readonly<Record<string, Resource>> = resources;

forAnyApp(client => {
  const scene = new Scene(client);

  describe('PUT', () => {
    for (const { name, fields } of Object.values(table)) {
      if (!operationOf(name, 'create') || !operationOf(name, 'update')) continue;

      it(`of ${name} keeps what its body does not give`, async () => {
        const path = await scene.recordPath(name, await scene.create(name));
        const before = await client.call('GET', path);
        const given = fields.filter(field => field.access === 'write' && (before.body[field.name] ?? null) !== null);
        const bodies = [{}, ...given.map(field => ({ [field.name]: before.body[field.name] }))];
        for (const body of bodies) {
          const changed = await client.call('PUT', path, { body });
          assert.equal(changed.status, 200, `${JSON.stringify(body)}: ${changed.text}`);
          assert.equal((await client.call('GET', path)).text, before.text, JSON.stringify(body));
        }
      });
    }
  });
});
