import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Billing } from './scene.ts';

forAnyApp((shared, app) => {
  const billing = new Billing(shared);
  const billed_on = '2026-07-03T10:00:00Z';

  /** A billing profile of a new client, with one component of an hour, and the approved assignment that it bills. */
  const approved = async (): Promise<number> => {
    const client = await billing.newClient();
    await billing.terms(client, [{ rate: 28.5 }]);
    const id = await billing.worked(client, await billing.function());
    const { status, text } = await billing.approve(id);
    assert.equal(status, 200, text);
    return id;
  };

  describe('approving an assignment', () => {
    it('bills each component of its function and of every function, in the currency of the profile', async () => {
      const [client, own, other] = [await billing.newClient(), await billing.function(), await billing.function()];
      const profile = await billing.terms(
        client,
        [
          { function_id: own, rate: 28.5, min_quantity: 4, factor: 1.25 },
          { function_id: other, rate: 99 },
          { rate: 12.3, unit: 'flat' },
          { rate: 50, unit: 'day', deleted: 1 },
          { rate: 180.05, unit: 'day' },
        ],
        { currency: 'CHF' },
      );
      const id = await billing.worked(client, own);
      assert.deepEqual(await billing.billings(id), []);
      assert.equal((await billing.approve(id)).status, 200);
      assert.deepEqual(await billing.billings(id), [
        // 9 hours × 28.5 × 1.25 = 320.625
        [9, 'hour', 28.5, 1.25, 320.63],
        [1, 'flat', 12.3, 1, 12.3],
        [1, 'day', 180.05, 1, 180.05],
      ]);
      for (const row of await billing.list(`/assignment-billings?assignment_id=${id}`)) {
        const { billing_profile_id, client_id, currency, is_disabled, is_valid, billed_on } = row;
        assert.deepEqual(
          { billing_profile_id, client_id, currency, is_disabled, is_valid, billed_on },
          {
            billing_profile_id: profile,
            client_id: client,
            currency: 'CHF',
            is_disabled: 0,
            is_valid: 1,
            billed_on: null,
          },
        );
      }
    });

    it('again, by another planner, bills nothing more', async () => {
      const id = await approved();
      const planner = await billing.post('planners', { first_name: 'A', last_name: 'B' });
      await billing.put(`/assignments/${id}/approve`, { approved_by_planner_id: planner });
      assert.equal((await billing.billings(id)).length, 1);
    });

    it('bills nothing for a deleted profile or one that is not the default', async () => {
      const client = await billing.newClient();
      await billing.terms(client, [{ rate: 1 }], { is_default: 0 });
      const deleted = await billing.terms(client, [{ rate: 2 }]);
      await billing.put(`/billing-profiles/${deleted}`, { deleted: 1 });
      const id = await billing.worked(client, await billing.function());
      assert.equal((await billing.approve(id)).status, 200);
      assert.deepEqual(await billing.billings(id), []);
    });

    it('is rejected if an amount would be out of range', async () => {
      const client = await billing.newClient();
      await billing.terms(client, [{ rate: 999_999, factor: 1000, min_quantity: 100 }]);
      const id = await billing.worked(client, await billing.function());
      assertErrors(await billing.approve(id), 'out_of_range approved_by_planner_id');
      assert.deepEqual(await billing.billings(id), []);
    });

    it('as a dry run bills nothing', async () => {
      const client = await billing.newClient();
      await billing.terms(client, [{ rate: 28.5 }]);
      const id = await billing.worked(client, await billing.function());
      assert.equal((await billing.approve(id, '?dry_run=true')).body.is_approved, 1);
      assert.deepEqual(await billing.billings(id), []);
    });
  });

  describe('the profile that applies', () => {
    let client: Client;
    let own: Billing;
    before(async () => {
      client = await app.newClient();
      own = new Billing(client);
      await own.terms(null, [{ rate: 10 }]);
    });
    const ratesOf = async (id: number) => {
      assert.equal((await own.approve(id)).status, 200);
      return (await own.list(`/assignment-billings?assignment_id=${id}`)).map(({ rate }) => rate);
    };

    it('is that of all clients if the client has none', async () => {
      assert.deepEqual(await ratesOf(await own.worked(await own.newClient(), await own.function())), [10]);
      assert.deepEqual(await ratesOf(await own.worked(null, await own.function())), [10]);
    });

    it('is the client’s before that of all clients, even if it has no component for the function', async () => {
      const [first, second] = [await own.newClient(), await own.newClient()];
      await own.terms(first, [{ rate: 20 }]);
      await own.terms(second, [{ rate: 30, function_id: await own.function() }]);
      assert.deepEqual(await ratesOf(await own.worked(first, await own.function())), [20]);
      assert.deepEqual(await ratesOf(await own.worked(second, await own.function())), []);
    });

    it('is that of the event’s client, if it differs from the project’s', async () => {
      const [ofProject, ofEvent] = [await own.newClient(), await own.newClient()];
      await own.terms(ofProject, [{ rate: 40 }]);
      await own.terms(ofEvent, [{ rate: 50 }]);
      const id = await own.worked(ofProject, await own.function());
      const [{ event_id }] = await own.list(`/assignments?id=${id}&fields=event_id`);
      assert.equal((await own.put(`/events/${event_id}`, { client_id: ofEvent })).status, 200);
      assert.deepEqual(await ratesOf(id), [50]);
    });
  });

  describe('withdrawing the approval', () => {
    it('removes the billings, and approving again derives them from the prices as they are by then', async () => {
      const id = await approved();
      const [{ billing_component_id }] = await billing.list(`/assignment-billings?assignment_id=${id}`);
      await billing.put(`/assignment-billings/${await billing.billing(id)}`, { is_disabled: 1 });
      assert.equal((await billing.withdraw(id)).status, 200);
      assert.deepEqual(await billing.billings(id), []);
      await billing.put(`/billing-components/${billing_component_id}`, { rate: 30 });
      await billing.approve(id);
      assert.deepEqual(await billing.billings(id), [[9, 'hour', 30, 1, 270]]);
    });

    it('is rejected while one is billed', async () => {
      const id = await approved();
      const item = await billing.billing(id);
      await billing.put(`/assignment-billings/${item}`, { billed_on });
      assertErrors(await billing.withdraw(id), 'assignment_billed approved_by_planner_id');
      assert.equal((await billing.list(`/assignments?id=${id}`))[0].is_approved, 1);
      await billing.put(`/assignment-billings/${item}`, { billed_on: null });
      assert.equal((await billing.withdraw(id)).status, 200);
    });
  });

  it('a tenant without the module billing derives nothing', async () => {
    const client = await app.newClient({ modules: new Set(['payroll']) });
    const own = new Billing(client);
    await client.database.asOwner(client.tenant.id, ({ kysely }) =>
      kysely.insertInto('billing_profiles').values({ id: 1, name: 'Old', is_default: true }).execute(),
    );
    await client.database.asOwner(client.tenant.id, ({ kysely }) =>
      kysely
        .insertInto('billing_components')
        .values({ id: 1, billing_profile_id: 1, name: 'Old', rate: 1, factor: 1 })
        .execute(),
    );
    const id = await own.worked(null, await own.function());
    assert.equal((await own.approve(id)).status, 200);
    const rows = await client.database.asOwner(client.tenant.id, ({ kysely }) =>
      kysely.selectFrom('assignment_billings').select('id').execute(),
    );
    assert.deepEqual(rows, []);
  });
});
