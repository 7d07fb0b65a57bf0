import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { operations } from '../support/operations.ts';
import { Scene } from '../support/scene.ts';
import { Importer, send } from './importer.ts';

const imported = operations.filter(({ verb }) => verb === 'import');
const external = (Object.values(resources) as readonly Resource[]).filter(({ externalKey }) => externalKey);

describe('imports', () => {
  it('are an operation of each resource with external ids', () => {
    assert.deepEqual(
      imported.map(({ resource }) => resource).toSorted(),
      external.map(({ name }) => name),
    );
    assert.ok(imported.length > 10);
  });
});

forAnyApp((client, app) => {
  const importer = new Importer(app);
  const scene = new Scene(client);

  describe('a listing of', () => {
    for (const { name } of external) {
      it(`${name} as CSV and as NDJSON is imported without a change`, async () => {
        for (let count = 0; count < 3; count++) await scene.create(name);
        const before = await client.call('GET', `/${name}`);
        const { body: start } = await client.call('GET', '/changes?after=now');
        for (const [extension, type] of [
          ['csv', 'text/csv'],
          ['ndjson', 'application/x-ndjson'],
        ] as const) {
          const { text } = await client.call('GET', `/${name}.${extension}`);
          const accepted = await send(client, `/${name}/import?mode=update`, text, type);
          assert.equal(accepted.status, 202, accepted.text);
          await importer.work(client);
          const { body: found } = await client.call('GET', `/imports/${accepted.body.id}`);
          const { body: failures } = await client.call('GET', `/imports/${accepted.body.id}/results?result=failed`);
          assert.deepEqual(failures, []);
          assert.deepEqual([found.rows, found.unchanged], [before.body.length, before.body.length]);
        }
        assert.equal((await client.call('GET', `/${name}`)).text, before.text);
        assert.deepEqual((await client.call('GET', `/changes?after=${start.next}`)).body.changes, []);
      });
    }
  });
});
