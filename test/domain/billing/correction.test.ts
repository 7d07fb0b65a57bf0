import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Corrections } from '../pay/corrections.ts';
import { paid_on } from '../pay/scene.ts';
import { Billing } from './scene.ts';

forAnyApp(client => {
  const billing = new Billing(client);
  const payroll = new Corrections(client);

  /** Paid work of nine hours, and its only billing, at 30 an hour, at least four. */
  const paid = async (): Promise<[assignment: number, billing: number]> => {
    const company = await billing.newClient();
    await billing.terms(company, [{ rate: 30, min_quantity: 4 }]);
    const id = await billing.worked(company, await billing.function());
    assert.equal((await payroll.approve(id)).status, 200);
    await payroll.pay(id);
    return [id, await billing.billing(id)];
  };

  const setBilled = async (id: number, billed_on: string | null): Promise<void> => {
    const response = await payroll.put(`/assignment-billings/${id}`, { billed_on });
    assert.equal(response.status, 200, response.text);
  };

  /** Quantity, amount, whether it is billed, and what it corrects, of each billing. */
  const billings = async (assignment: number): Promise<unknown[][]> => {
    const items = await payroll.list(`/assignment-billings?assignment_id=${assignment}&sort=id`);
    return items.map(({ quantity, billable_amount, billed_on, corrects_billing_id }) => [
      ...[quantity, billable_amount, billed_on !== null, corrects_billing_id],
    ]);
  };

  describe('the billings of a correction', () => {
    it('take back no more than the minimum leaves', async () => {
      const [id, first] = await paid();
      await setBilled(first, paid_on);
      // One hour of work: four are billed.
      await payroll.correct(id, { end: '2026-06-12T17:00:00Z' });
      assert.deepEqual(await billings(id), [
        [9, 270, true, null],
        [-5, -150, false, first],
      ]);
    });

    it('are for the client of those that they correct, and others are removed when the work is reopened', async () => {
      const [id, first] = await paid();
      await setBilled(first, paid_on);
      const [{ event_id }] = await payroll.list(`/assignments?id=${id}`);
      const [{ client_id: company }] = await payroll.list(`/assignment-billings?id=${first}`);
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      await payroll.reopen(id);
      assert.deepEqual(await billings(id), [[9, 270, true, null]]);
      const other = await billing.newClient();
      await billing.terms(other, [{ rate: 99 }]);
      assert.equal((await payroll.put(`/events/${event_id}`, { client_id: other })).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
      const items = await payroll.list(`/assignment-billings?assignment_id=${id}&sort=id`);
      // The terms of the other client are others: what is billed is taken back, and billed anew.
      assert.deepEqual(
        items.map(({ client_id, billable_amount }) => [client_id, billable_amount]),
        [
          [company, 270],
          [other, 8 * 99],
          [company, -270],
        ],
      );
    });

    it('are derived anew for what has become unbilled since the work was reopened', async () => {
      const [id, first] = await paid();
      await setBilled(first, paid_on);
      await payroll.reopen(id);
      await setBilled(first, null);
      assert.equal((await payroll.approve(id)).status, 200);
      assert.deepEqual(await billings(id), [[9, 270, false, null]]);
    });

    it('keep what a billed difference corrects, billed or not', async () => {
      const [id, first] = await paid();
      await setBilled(first, paid_on);
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      const [, { id: difference }] = await payroll.list(`/assignment-billings?assignment_id=${id}&sort=id`);
      await setBilled(difference, paid_on);
      await setBilled(first, null);
      await payroll.correct(id, { end: '2026-06-12T23:00:00Z' });
      assert.deepEqual(await billings(id), [
        [9, 270, false, null],
        [-1, -30, true, first],
        [-1, -30, false, first],
      ]);
    });
  });
});
