import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Billing } from '../../domain/billing/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forEachApp } from '../../support/for-each-app.ts';

forEachApp(client => {
  const billing = new Billing(client);
  const billed_on = '2026-07-03T10:00:00Z';

  /** The path of a billing of nine hours. */
  const item = async (terms: object = { rate: 28.5 }): Promise<string> => {
    const customer = await billing.newClient();
    await billing.terms(customer, [terms]);
    const id = await billing.worked(customer, await billing.function());
    await billing.approve(id);
    return `/assignment-billings/${await billing.billing(id)}`;
  };

  describe('a billing', () => {
    it('has an amount that follows its factor', async () => {
      const path = await item();
      // 9 × 28.5 × 0.9525 = 244.31625
      assert.equal((await billing.put(path, { factor: 0.9525 })).body.billable_amount, 244.32);
      assert.equal((await billing.client.call('GET', path)).body.billable_amount, 244.32);
      assert.equal((await billing.put(path, { factor: 0 })).body.billable_amount, 0);
    });

    it('takes back what was read from it, and changes nothing that was derived', async () => {
      const path = await item();
      const { body: read } = await billing.client.call('GET', path);
      assert.deepEqual((await billing.put(path, read)).body, read);
      assertErrors(await billing.put(path, { billable_amount: 1 }), 'read_only billable_amount');
      assertErrors(await billing.put(path, { quantity: 8, rate: 1 }), 'read_only quantity', 'read_only rate');
    });

    it('stays as it was billed until that is withdrawn', async () => {
      const path = await item();
      assert.equal((await billing.put(path, { billed_on, factor: 2 })).body.billable_amount, 513);
      assertErrors(
        await billing.put(path, { factor: 1, is_disabled: 1 }),
        'assignment_billed factor',
        'assignment_billed is_disabled',
      );
      assert.equal((await billing.put(path, { billed_on: '2026-07-04T10:00:00Z' })).status, 200);
      assert.equal((await billing.put(path, { billed_on: null, factor: 1 })).body.billable_amount, 256.5);
    });

    it('is not billed while it is disabled', async () => {
      const path = await item();
      assertErrors(await billing.put(path, { is_disabled: 1, billed_on }), 'invalid_transition billed_on');
      await billing.put(path, { is_disabled: 1 });
      assertErrors(await billing.put(path, { billed_on }), 'invalid_transition billed_on');
      assert.equal((await billing.put(path, { is_disabled: 0, billed_on })).body.billed_on, billed_on);
    });

    it('has a factor and an amount in range', async () => {
      const path = await item({ rate: 999_999, min_quantity: 20 });
      assertErrors(await billing.put(path, { factor: 1000.5 }), 'out_of_range factor');
      assertErrors(await billing.put(path, { factor: -1 }), 'out_of_range factor');
      // 20 × 999,999 × 1000 is more than 9,999,999,999.
      assertErrors(await billing.put(path, { factor: 1000 }), 'out_of_range factor');
      assert.equal((await billing.put(path, { factor: 500 })).body.billable_amount, 9_999_990_000);
    });

    it('is neither created nor deleted by clients', async () => {
      const path = await item();
      assert.equal((await billing.client.call('DELETE', path)).status, 405);
      assert.equal((await billing.client.call('POST', '/assignment-billings', { body: {} })).status, 405);
    });
  });
});
