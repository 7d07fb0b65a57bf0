import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTenant } from '../../src/db/enter.ts';
import { forEachDatabase, newTenant } from '../support/database.ts';

test('the tenant’s id is a literal of a statement that is not kept', () =>
  assert.deepEqual(setTenant(7), { name: null, text: `set local app.tenant_id = '7'`, values: [] }));

for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53, '7', "7'; reset role; --", undefined])
  test(`${JSON.stringify(id)} is not a tenant’s id`, () => assert.throws(() => setTenant(id as number), RangeError));

forEachDatabase((_, getDatabase) => {
  const setting = { name: null, text: `select current_setting('app.tenant_id', true)`, values: [] };

  test('the tenant is set for its transaction only', async () => {
    const database = getDatabase();
    const [one, other] = [await newTenant(database), await newTenant(database)];
    for (const tenant of [one, other, one]) {
      const [result] = await database.forTenant(tenant).read(setting);
      assert.deepEqual(result?.rows, [[String(tenant.id)]]);
      await database.asOwner(tenant.id, async transaction => {
        assert.deepEqual((await transaction.send(setting))[0]?.rows, [[String(tenant.id)]]);
      });
      const { rows } = await database.queue.executeSql(setting.text);
      assert.equal(Object.values(rows[0] ?? {})[0] || null, null);
    }
  });
});
