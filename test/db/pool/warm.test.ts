import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { Statement, TenantDb } from '../../../src/db/database.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { citusPrograms } from '../../support/citus.ts';
import { inMemory, migratedUrl, newTenant } from '../../support/database.ts';

const select = (text: string): Statement => ({ name: null, text, values: [] });

/** What a distributed database does not do. */
const skip = citusPrograms && 'Citus plans a statement for each tenant: connections learn none';

describe('the connections of a Postgres server', () => {
  let database: Database;
  let db: TenantDb;
  before(async () => {
    database = openDatabase({ ...inMemory, url: await migratedUrl(), poolSize: 2 });
    db = database.forTenant(await newTenant(database));
  });
  after(() => database.close());

  const clients = (name: string): Statement => ({
    name,
    text: `select id, '${name}' from clients where tenant_id = $1`,
    values: [String(db.tenant.id)],
  });

  /** The names, plans and runs of the statements that a connection of `other` has prepared, which begin with `common`. */
  const prepared = async (other: Pick<TenantDb, 'read'>): Promise<unknown> => {
    const [result] = await other.read(
      select(
        `select name, generic_plans, custom_plans from pg_prepared_statements where name like 'common%' order by 1`,
      ),
    );
    return result?.rows;
  };

  /** Runs `work` while the connection that was used last is held; the other one has had time to learn. */
  const beside = async (work: () => Promise<void>) =>
    db.transaction(async transaction => {
      await transaction.send(select('select 1'));
      // Each time it is released, it learns at least one statement.
      for (let turn = 0; turn < 50; turn++) await db.read(select('select 1'));
      await work();
    });

  test('know the statements that others have run repeatedly, planned, after they were first used', {
    skip,
  }, async () => {
    for (let run = 0; run < 3; run++) await db.read(clients('common_1'), clients('common_2'));
    await db.snapshot(async transaction => {
      for (let run = 0; run < 3; run++) await transaction.send(clients('common_3'));
    });
    await db.read(clients('rare'));
    await beside(async () => {
      assert.deepEqual(await prepared(db), [
        ['common_1', '1', '0'],
        ['common_2', '1', '0'],
        ['common_3', '1', '0'],
      ]);
      const [rare] = await db.read(select(`select 1 from pg_prepared_statements where name = 'rare'`));
      assert.deepEqual(rare?.rows, []);
      assert.deepEqual((await db.read(clients('common_1')))[0]?.rows, []);
    });
  });

  test('learn no more than twenty, the ones used last', { skip }, async () => {
    for (let each = 0; each < 30; each++)
      for (let run = 0; run < 3; run++) await db.read(clients(`common_more_${each}`));
    await beside(async () => {
      const known = ((await prepared(db)) as string[][]).filter(([name = '']) => name.startsWith('common_more'));
      assert.equal(known.length, 20);
      assert.ok(known.some(([name]) => name === 'common_more_29'));
    });
  });

  test('learn nothing that writes, and a statement that fails for nulls breaks none', async () => {
    const failing: Statement = { name: 'common_failing', text: 'select 1 / coalesce($1::int, 0)', values: ['1'] };
    for (let run = 0; run < 3; run++) {
      await db.read(failing);
      await db.transaction(transaction => transaction.send({ ...clients('common_write'), name: 'write' }));
    }
    await beside(async () => {
      const [[row] = []] = (await db.read(failing)).map(({ rows }) => rows);
      assert.deepEqual(row, ['1']);
      const [write] = await db.read(select(`select 1 from pg_prepared_statements where name = 'write'`));
      assert.deepEqual(write?.rows, []);
    });
  });

  test('learn nothing of what follows a transaction, as a role that may not read it', { skip }, async () => {
    const statement = { ...clients('common_after'), text: 'select $1::text' };
    const confirmation = { statement, take: () => {}, confirm: async () => {} };
    const confirming = database.forTenant(db.tenant, undefined, undefined, confirmation);
    for (let run = 0; run < 3; run++) await confirming.read(clients('common_before'));
    await beside(async () => {
      const known = await db.read(
        select(`select name from pg_prepared_statements where name ~ '^common_(after|before)' `),
      );
      assert.deepEqual(known[0]?.rows, [['common_before']]);
    });
  });

  test('stay open however long they are idle', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const pid = async () => (await db.read(select('select pg_backend_pid()')))[0]?.rows;
      const first = await pid();
      mock.timers.tick(86_400_000);
      assert.deepEqual(await pid(), first);
    } finally {
      mock.timers.reset();
    }
  });
});
