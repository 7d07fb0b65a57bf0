import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp((client, app) => {
  const scene = new Scene(client);

  for (const [resource, relation, table] of [
    ['assignment-contract', 'contract', 'assignment_contract'],
    ['assignment-employment-reports', 'report', 'assignment_employment_reports'],
  ] as const)
    it(`the ${relation} of an assignment is the one created last, whatever its id`, async () => {
      const assignment_id = await scene.create('assignments');
      const older = await scene.create(resource, { assignment_id });
      const newer = await scene.create(resource, { assignment_id });
      const read = async () =>
        (await client.call('GET', `/assignments/${assignment_id}?fields=id&embed=${relation}.id`)).body[relation];
      assert.deepEqual(await read(), { id: newer });
      // As if another process, whose block of ids lies further on, had created the first one.
      await app.database.asOwner(client.tenant.id, ({ kysely }) =>
        kysely.updateTable(table).set({ created_at: sql`now() + interval '1 hour'` }).where('id', '=', older).execute(),
      );
      assert.deepEqual(await read(), { id: older });
      assert.equal((await client.call('DELETE', `/${resource}/${older}`)).status, 204);
      assert.deepEqual(await read(), { id: newer });
    });
});
