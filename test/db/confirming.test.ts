import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Confirmation, Result, Statement, TenantDb } from '../../src/db/database.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

const one: Statement = { name: null, text: 'select 1', values: [] };
const failing: Statement = { name: null, text: 'select 1 / 0', values: [] };

class No extends Error {}

forEachDatabase((_, getDatabase) => {
  const newDb = async (confirmation?: Confirmation) =>
    getDatabase().forTenant(await newTenant(getDatabase()), undefined, undefined, confirmation);

  /** A confirmation that asks for the role and the transaction's tenant, and what it has been through. */
  const asking = (accepts = true) => {
    const seen: unknown[] = [];
    let open = true;
    const statement = {
      name: null,
      text: `select current_user = session_user, current_setting('app.tenant_id', true)`,
      values: [],
    };
    const take = ({ rows }: Result): void => {
      seen.push(...rows);
      open = false;
      if (!accepts) throw new No();
    };
    const confirmation: Confirmation = {
      get statement() {
        return open ? statement : null;
      },
      take,
      async confirm() {
        if (!open) return;
        seen.push('alone');
        take(await getDatabase().ask(statement));
      },
    };
    return { confirmation, seen };
  };
  const outside = ['t', ''];

  describe('a confirmation', () => {
    test('comes with the first read, outside of its transaction, and only with that', async () => {
      const { confirmation, seen } = asking();
      const db = await newDb(confirmation);
      for (const _ of ['first', 'second'])
        assert.deepEqual(
          (await db.read(one, one)).map(({ rows }) => rows),
          [[['1']], [['1']]],
        );
      assert.deepEqual(seen, [outside]);
    });

    const ways: [label: string, use: (db: TenantDb, work: () => Promise<unknown>) => Promise<unknown>][] = [
      ['a snapshot', (db, work) => db.snapshot(work)],
      ['a transaction', (db, work) => db.transaction(work)],
      ['joined transactions', (db, work) => db.joined(work)],
    ];
    for (const [label, use] of ways)
      test(`comes before ${label}, which does not begin without it`, async () => {
        const { confirmation, seen } = asking();
        const begin = async () => void seen.push('begun');
        await use(await newDb(confirmation), begin);
        assert.deepEqual(seen, ['alone', outside, 'begun']);
        const refused = asking(false);
        const attempt = use(await newDb(refused.confirmation), async () => void refused.seen.push('begun'));
        await assert.rejects(attempt, No);
        assert.deepEqual(refused.seen, ['alone', outside]);
      });

    test('that is refused refuses what was read with it', async () => {
      const db = await newDb(asking(false).confirmation);
      await assert.rejects(db.read(one), No);
    });

    const failures: [label: string, text: string, kind: string][] = [
      ['fails', 'select 1 / 0', 'value'],
      ['meets a lock', `do $$ begin raise exception 'locked' using errcode = '55P03'; end $$`, 'unavailable'],
    ];
    for (const [label, text, kind] of failures)
      test(`that ${label} fails the read, which is not repeated for it; the connection is used again`, async () => {
        let asked = 0;
        const confirmation: Confirmation = {
          get statement() {
            asked++;
            return { name: null, text, values: [] };
          },
          take: () => assert.fail(),
          confirm: async () => {},
        };
        const own = await newDb();
        const confirming = getDatabase().forTenant(own.tenant, undefined, undefined, confirmation);
        const backend = async () => (await own.read({ ...one, text: 'select pg_backend_pid()' }))[0]?.rows;
        const first = await backend();
        await assert.rejects(confirming.read(one), { kind });
        assert.equal(asked, 1);
        assert.deepEqual(await backend(), first);
      });

    test('is not had from a read that fails, after which the connection is used again', async () => {
      const { confirmation, seen } = asking();
      const own = await newDb();
      const confirming = getDatabase().forTenant(own.tenant, undefined, undefined, confirmation);
      const backend = async () => (await own.read({ ...one, text: 'select pg_backend_pid()' }))[0]?.rows;
      const first = await backend();
      await assert.rejects(confirming.read(failing), { kind: 'value' });
      assert.deepEqual(seen, []);
      assert.deepEqual(await backend(), first);
      await confirming.read(one);
      assert.deepEqual(seen, [outside]);
    });
  });
});
