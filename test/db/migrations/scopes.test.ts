import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseScope } from '../../../src/administration/access.ts';
import { databaseBefore } from '../../support/earlier-schema.ts';

describe('the migration of scopes', () => {
  it('replaces those of former names by the ones that are needed now, and leaves no API user without any', async context => {
    const { client, forEachTenant, read, apply } = await databaseBefore(context, '0023-scopes');
    const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
      [[], []],
      [['clients:read'], ['clients:read']],
      [
        ['employees:read', 'candidates:read', 'candidates:write'],
        ['employees:read', 'event-functions:read'],
      ],
      [
        ['gaps:read', 'pay-run-lines:read', 'import-results:read'],
        ['event-functions:read', 'pay-runs:read', 'imports:read'],
      ],
      [['gaps:write'], ['gaps:write']],
    ];
    await forEachTenant(async tenant => {
      for (const [index, [given]] of cases.entries())
        await client.query('insert into api_users (tenant_id, id, name, scopes) values ($1, $2, $3, $4)', [
          tenant,
          index + 1,
          `user ${index}`,
          JSON.stringify(given),
        ]);
    });
    await apply();
    await forEachTenant(async () => {
      assert.deepEqual(
        await read('select scopes from api_users order by id'),
        cases.map(([, wanted]) => [wanted]),
      );
    });
    for (const scope of cases.slice(0, -1).flatMap(([, wanted]) => wanted)) assert.equal(parseScope(scope), scope);
  });
});
