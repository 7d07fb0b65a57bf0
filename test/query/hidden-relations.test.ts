import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';
import { restricted } from '../support/restricted.ts';

forAnyApp((client, app) => {
  for (const [path, relation] of [
    ['/employees', 'language'],
    ['/languages', 'employees'],
  ] as const)
    it(`embed=${relation} of ${path} is unknown to an API user from whom the field that it follows is hidden`, async () => {
      const user = await restricted(app, client, { hidden: ['personal'] });
      const asked = `${path}?embed=${relation}`;
      assert.equal((await client.call('GET', asked)).status, 200);
      const { status, body } = await user.call('GET', asked);
      assert.deepEqual([status, body.code], [400, 'unknown_relation']);
    });
});
