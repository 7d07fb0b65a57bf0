import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  describe('a wage proposal', () => {
    const ask = (assignment_id: number, more: object = {}) =>
      payroll.client.call('POST', '/wage-proposals', { body: { assignment_id, wage_type_id: 5, value: 3, ...more } });

    it('makes a wage of its wage type once it is accepted', async () => {
      const id = await payroll.assignment();
      const { body: proposal } = await ask(id, { value: 1.5 });
      assert.deepEqual([proposal['wage_type.name'], proposal.amount, proposal.unit], ['Carrying', 3.75, 'piece']);
      assert.deepEqual(await payroll.wages(id), []);
      const accepted = await payroll.put(`/wage-proposals/${proposal.id}`, { status: 2 });
      assert.notEqual(accepted.body.decided_at, null, accepted.text);
      assert.deepEqual(await payroll.wages(id), [['Carrying', 2.5, 1.5, 3.75]]);
      assertErrors(await payroll.put(`/wage-proposals/${proposal.id}`, { status: 3 }), 'invalid_transition status');
      assertErrors(await payroll.put(`/wage-proposals/${proposal.id}`, { value: 9 }), 'read_only value');
    });

    it('shows the amount with the factor of the wage type, to the cent as it is paid', async () => {
      const { body } = await ask(await payroll.assignment(), { wage_type_id: 2, value: 0.1 });
      assert.equal(body.amount, 0.36);
    });

    it('is the amount itself where its wage type has no value, and is paid with the approval', async () => {
      const profile = await payroll.profile([
        { id: 7, name: 'Expenses', type: '4' },
        { id: 8, name: 'Other expenses', type: '4', value: null, factor: 0.5 },
      ]);
      const id = await payroll.assignment({ profile });
      for (const wage_type_id of [7, 8]) {
        const { body } = await ask(id, { wage_type_id, value: 12.35 });
        assert.equal(body.amount, 12.35);
        assert.equal((await payroll.put(`/wage-proposals/${body.id}`, { status: 2 })).status, 200);
      }
      assert.deepEqual(await payroll.wages(id), [
        ['Expenses', 1, 12.35, 12.35],
        ['Other expenses', 1, 12.35, 12.35],
      ]);
      assert.equal((await payroll.approve(id)).body.pay_amount, 24.7);
    });

    it('keeps type, amount, unit and currency once it is accepted, an open one those of the wage profile', async () => {
      const profile = await payroll.profile();
      const id = await payroll.assignment({ profile });
      const [accepted, open] = [(await ask(id)).body.id, (await ask(id)).body.id];
      const { body: shown } = await payroll.put(`/wage-proposals/${accepted}`, { status: 2 });
      assert.deepEqual(
        [shown['wage_type.name'], shown.amount, shown.unit, shown.currency],
        ['Carrying', 7.5, 'piece', 'EUR'],
      );
      const wage_types = [{ id: 5, name: 'Lifting', type: '4', unit: 'box', value: 3 }];
      await payroll.put(`/wage-profiles/${profile}`, { currency: 'JPY', wage_types });
      const [kept, moved] = await payroll.list(`/wage-proposals?id=${accepted},${open}&sort=id`);
      assert.deepEqual(kept, shown);
      assert.deepEqual(
        [moved['wage_type.name'], moved.amount, moved.unit, moved.currency],
        ['Lifting', 9, 'box', 'JPY'],
      );
      await payroll.put(`/wage-profiles/${profile}`, { wage_types: [] });
      assert.deepEqual(await payroll.list(`/wage-proposals?id=${accepted}`), [shown]);
      assert.equal((await payroll.put(`/wage-proposals/${accepted}`, shown)).status, 200);
      assertErrors(await payroll.put(`/wage-proposals/${accepted}`, { value: 4 }), 'read_only value');
    });

    it('has no amount, and is not accepted, once its wage type makes it more than can be paid', async () => {
      const profile = await payroll.profile();
      const id = await payroll.assignment({ profile });
      const { body: proposal } = await ask(id, { value: 50_000 });
      for (const [value, amount] of [
        [200_000, null],
        [199_999, 9_999_950_000],
        [999_999, null],
      ]) {
        const wage_types = [{ id: 5, name: 'Carrying', type: '4', value }];
        assert.equal((await payroll.put(`/wage-profiles/${profile}`, { wage_types })).status, 200);
        const shown = await payroll.client.call('GET', `/wage-proposals?id=${proposal.id}&sort=amount`);
        assert.deepEqual([shown.status, shown.body[0].amount], [200, amount], shown.text);
      }
      assertErrors(await payroll.put(`/wage-proposals/${proposal.id}`, { status: 2 }), 'out_of_range value');
    });

    it('cannot be deleted once it is accepted', async () => {
      const id = await payroll.assignment();
      for (const [status, want] of [
        [1, 204],
        [2, 409],
        [3, 204],
      ]) {
        const { body } = await ask(id);
        await payroll.put(`/wage-proposals/${body.id}`, { status });
        const removed = await payroll.client.call('DELETE', `/wage-proposals/${body.id}`);
        assert.equal(removed.status, want, removed.text);
        if (want === 409) assert.equal(removed.body.code, 'still_referenced');
      }
    });

    it('makes none if it is rejected', async () => {
      const id = await payroll.assignment();
      const { body } = await ask(id);
      assert.notEqual((await payroll.put(`/wage-proposals/${body.id}`, { status: 3 })).body.decided_at, null);
      assert.deepEqual(await payroll.wages(id), []);
    });

    it('needs a wage type of a wage profile that holds', async () => {
      assertErrors(await ask(await payroll.assignment(), { wage_type_id: 9 }), 'reference_not_found wage_type_id');
      const id = await payroll.assignment({ profile: null });
      await payroll.withoutDefault(async () => assertErrors(await ask(id), 'wage_profile_missing wage_type_id'));
    });
  });
});
