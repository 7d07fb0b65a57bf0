import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { parseScope } from '../../../src/server/administration/access.ts';
import { inMemory, scratchUrl } from '../../support/database.ts';

const name = ownSchema.migrations.find(migration => migration.name.endsWith('-scopes'))?.name ?? '';

describe('the migration of scopes', () => {
  it('replaces those of former names by the ones that are needed now, and leaves no API user without any', async context => {
    const url = await scratchUrl();
    const earlier = { ...ownSchema, migrations: ownSchema.migrations.filter(migration => migration.name < name) };
    const before = openDatabase({ ...inMemory, url, schema: { ...earlier, definitions: [] } });
    await before.migrate();
    await before.close();
    const client = new pg.Client(url);
    await client.connect();
    context.after(() => client.end());
    await client.query(
      `insert into tenants (slug, name, time_zone, modules) values ('one', 'One', 'UTC', '[]'), ('two', 'Two', 'UTC', '[]')`,
    );
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
    for (const tenant of [1, 2]) {
      await client.query(`set app.tenant_id = '${tenant}'`);
      for (const [index, [given]] of cases.entries())
        await client.query('insert into api_users (tenant_id, id, name, scopes) values ($1, $2, $3, $4)', [
          tenant,
          index + 1,
          `user ${index}`,
          JSON.stringify(given),
        ]);
    }
    await client.query(ownSchema.migrations.find(migration => migration.name === name)?.text ?? '');
    for (const tenant of [1, 2]) {
      await client.query(`set app.tenant_id = '${tenant}'`);
      const { rows } = await client.query('select scopes from api_users where tenant_id = $1 order by id', [tenant]);
      assert.deepEqual(
        rows.map(({ scopes }) => scopes),
        cases.map(([, wanted]) => wanted),
      );
    }
    for (const scope of cases.slice(0, -1).flatMap(([, wanted]) => wanted)) assert.equal(parseScope(scope), scope);
  });
});
