import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Billing } from '../../domain/billing/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((shared, app) => {
  const billing = new Billing(shared);

  describe('a default billing profile', () => {
    it('is the only one of its client that is not deleted', async () => {
      const client = await billing.newClient();
      const first = await billing.terms(client, []);
      const body = { name: 'Second', client_id: client, is_default: 1 };
      assertErrors(await shared.call('POST', '/billing-profiles', { body }), 'not_unique is_default');
      const second = await billing.post('billing-profiles', { ...body, is_default: 0 });
      assertErrors(await billing.put(`/billing-profiles/${second}`, { is_default: 1 }), 'not_unique is_default');
      await billing.put(`/billing-profiles/${first}`, { deleted: 1 });
      assert.equal((await billing.put(`/billing-profiles/${second}`, { is_default: 1 })).status, 200);
      assertErrors(await billing.put(`/billing-profiles/${first}`, { deleted: 0 }), 'not_unique is_default');
    });

    it('is the only one of all clients, beside those of single clients', async () => {
      const own = new Billing(await app.newClient());
      await own.terms(null, []);
      await own.terms(await own.newClient(), []);
      const body = { name: 'Second', is_default: 1 };
      assertErrors(await own.client.call('POST', '/billing-profiles', { body }), 'not_unique is_default');
    });

    it('is one of 8 that are created simultaneously', async () => {
      const client = await billing.newClient();
      const body = { name: 'One of many', client_id: client, is_default: 1 };
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => shared.call('POST', '/billing-profiles', { body })),
      );
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 422)]);
    });
  });

  describe('a billing profile', () => {
    it('that is deleted takes no new components and no billings', async () => {
      const profile = await billing.terms(await billing.newClient(), []);
      await billing.put(`/billing-profiles/${profile}`, { deleted: 1 });
      const body = { billing_profile_id: profile, name: 'Service', rate: 1 };
      assertErrors(await shared.call('POST', '/billing-components', { body }), 'reference_inactive billing_profile_id');
    });

    it('with components is not removed, nor is a component with billings', async () => {
      const client = await billing.newClient();
      const profile = await billing.terms(client, [{ rate: 1 }]);
      const remove = async (path: string) => (await shared.call('DELETE', path)).body?.code ?? 'removed';
      assert.equal(await remove(`/billing-profiles/${profile}`), 'still_referenced');
      const id = await billing.worked(client, await billing.function());
      await billing.approve(id);
      const [{ billing_component_id: component }] = await billing.list(`/assignment-billings?assignment_id=${id}`);
      assert.equal(await remove(`/billing-components/${component}`), 'still_referenced');
      await billing.withdraw(id);
      assert.equal(await remove(`/billing-components/${component}`), 'removed');
      assert.equal(await remove(`/billing-profiles/${profile}`), 'removed');
    });
  });

  describe('a billing component', () => {
    it('has bounds and a unit', async () => {
      const profile = await billing.terms(await billing.newClient(), []);
      const body = { billing_profile_id: profile, name: 'Service', rate: 1 };
      const { body: made } = await shared.call('POST', '/billing-components', { body });
      assert.deepEqual([made.unit, made.factor, made.min_quantity, made.tax_rate], ['hour', 1, null, null]);
      const put = (changes: object) => billing.put(`/billing-components/${made.id}`, changes);
      assertErrors(
        await put({ rate: -1, factor: 1001, min_quantity: -1, tax_rate: 100.1 }),
        'out_of_range rate',
        'out_of_range factor',
        'out_of_range min_quantity',
        'out_of_range tax_rate',
      );
      assertErrors(await put({ unit: 'week' }), 'not_in_enumeration unit');
      assert.equal((await put({ tax_rate: 100, unit: 'day' })).status, 200);
    });
  });
});
