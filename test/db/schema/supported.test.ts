import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { obstacleOf } from '../../../src/db/schema/supported.ts';
import { inMemory, onServer, scratchUrl, unboundUrl } from '../../support/database.ts';

describe('a database server', () => {
  const cases: readonly [version: string, icu: boolean, wanted: RegExp | null][] = [
    ['14.23', true, /^The database server is Postgres 14\.23: the service needs Postgres 15 or newer, with ICU\.$/],
    ['9.6.24', false, /Postgres 9\.6\.24: the service needs Postgres 15/],
    ['15.0', true, null],
    ['18.1 (Debian 18.1-1)', true, null],
    ['19beta1', true, null],
    ['17.2', false, /no collation "und-x-icu".*built with ICU/],
  ];
  for (const [version, icu, wanted] of cases)
    it(`${version} ${icu ? 'with' : 'without'} ICU ${wanted ? 'is rejected, with what it needs' : 'is accepted'}`, () => {
      const obstacle = obstacleOf({ version, major: Number.parseInt(version, 10), icu });
      if (wanted) assert.match(obstacle ?? '', wanted);
      else assert.equal(obstacle, null);
    });

  it('without the collations of ICU is named by the migration, its status and what looks at it; nothing is created', async () => {
    const url = await scratchUrl();
    const unbound = await unboundUrl(url);
    await onServer('drop collation "und-x-icu"', unbound);
    const database = openDatabase({ ...inMemory, url });
    for (const look of [database.migrate, database.migrations, database.pendingMigrations])
      await assert.rejects(look(), { name: 'SchemaError', message: /und-x-icu/ });
    const { rows } = await onServer(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      url,
    );
    assert.deepEqual(rows, []);
    await onServer(`select pg_import_system_collations('pg_catalog')`, unbound);
    assert.ok((await database.migrate()).length > 0);
    await database.close();
  });
});
