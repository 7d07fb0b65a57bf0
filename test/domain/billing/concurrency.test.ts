import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachNode } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';
import { Billing } from './scene.ts';

forEachApp((client, _, name) => {
  const billing = new Billing(client);

  const approved = async (): Promise<number> => {
    const customer = await billing.newClient();
    await billing.terms(customer, [{ rate: 10 }, { rate: 5, unit: 'flat' }]);
    const id = await billing.worked(customer, await billing.function());
    assert.equal((await billing.approve(id)).status, 200);
    return id;
  };

  it('billing and withdrawing the approval at once: one of the two wins, and the data agree', async () => {
    for (let round = 0; round < 12; round++) {
      const id = await approved();
      const item = await billing.billing(id);
      const bill = () => billing.put(`/assignment-billings/${item}`, { billed_on: '2026-07-03T10:00:00Z' });
      const withdraw = () => billing.withdraw(id);
      const first = round % 2 === 0;
      const responses = await Promise.all(first ? [bill(), withdraw()] : [withdraw(), bill()]);
      const [billed, withdrawn] = first ? responses : responses.toReversed();
      assert.ok(billed && withdrawn);
      const statuses = `${billed.status} ${withdrawn.status}`;
      assert.ok(statuses === '200 422' || statuses === '404 200', statuses);
      assert.equal((await billing.billings(id)).length, statuses === '200 422' ? 2 : 0);
    }
  });

  it('16 approvals and withdrawals at once leave the billings of an approval, or none', async () => {
    for (let round = 0; round < 3; round++) {
      const id = await approved();
      const responses = await Promise.all(
        Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? billing.withdraw(id) : billing.approve(id))),
      );
      for (const { status, text } of responses) assert.equal(status, 200, text);
      const [{ is_approved }] = await billing.list(`/assignments?id=${id}`);
      assert.equal((await billing.billings(id)).length, is_approved === 1 ? 2 : 0);
    }
  });

  if (name === 'postgres')
    it('an approval waits for the removal of a component, which it then does not bill', async () => {
      const customer = await billing.newClient();
      const profile = await billing.terms(customer, [{ rate: 10 }]);
      const id = await billing.worked(customer, await billing.function());
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'`;
      const approval = await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.deleteFrom('billing_components').where('billing_profile_id', '=', profile).execute();
        const response = billing.approve(id);
        await until('the approval waits', async () => (await onEachNode(waiting)).length);
        return { response };
      });
      assert.equal((await approval.response).status, 200);
      assert.deepEqual(await billing.billings(id), []);
    });
});
