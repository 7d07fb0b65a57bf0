import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Billing } from '../../domain/billing/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
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

    it('keeps its client and its project, which cannot be deleted, whatever becomes of the event', async () => {
      const path = await item();
      const { body: read } = await billing.client.call('GET', path);
      const [{ event_id }] = await billing.list(`/assignments?id=${read.assignment_id}`);
      const other = await billing.newClient();
      await billing.put(`/projects/${read.project_id}`, { client_id: other });
      assert.deepEqual((await billing.client.call('GET', path)).body, read);
      const project_id = await billing.post('projects', { name: 'Winter', client_id: other });
      const moved = await billing.put(`/events/${event_id}`, { project_id });
      assert.equal(moved.status, 200, moved.text);
      assert.deepEqual((await billing.client.call('GET', path)).body, read);
      assert.deepEqual(await billing.list(`/assignment-billings?project_id=${read.project_id}`), [read]);
      const removed = await billing.client.call('DELETE', `/projects/${read.project_id}`);
      assert.deepEqual([removed.status, removed.body.code], [409, 'still_referenced'], removed.text);
      await billing.withdraw(read.assignment_id);
      assert.equal((await billing.client.call('DELETE', `/projects/${read.project_id}`)).status, 204);
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
