import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import { Corrections } from '../../domain/pay/corrections.ts';
import { paid_on, period } from '../../domain/pay/scene.ts';
import { end, start } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operationOf } from '../../support/operations.ts';
import { Scene } from '../../support/scene.ts';

forAnyApp(client => {
  const payroll = new Corrections(client);

  /** The fields that entries name of the new records of a resource, for each of them without those that only it has. */
  const namedOf = async (resource: string, work: () => Promise<unknown>, ...without: readonly string[]) => {
    const { next } = (await client.call('GET', '/changes?after=now')).body;
    await work();
    const { body } = await client.call('GET', `/changes?after=${next}&resource=${resource}&change=created`);
    const entries: readonly { readonly fields: readonly string[] }[] = body.changes;
    assert.ok(entries.length > 0, `${resource}: nothing was created`);
    return entries.map(({ fields }) => fields.filter(name => !without.includes(name)).toSorted());
  };

  describe('the entry of a new record names what a body leaves out and the record has by default', () => {
    const scene = new Scene(client);
    const defaultsOf = ({ fields }: Resource) => fields.filter(field => field.default !== undefined && !field.computed);
    for (const resource of Object.values<Resource>(resources)) {
      const defaulted = defaultsOf(resource).map(({ name }) => name);
      const operation = operationOf(resource.name, 'create');
      if (!operation || defaulted.length === 0) continue;
      it(`of ${resource.name}`, async () => {
        const path = await scene.pathOf(operation);
        const whole = Object.entries(await scene.bodyOf(resource.name));
        const rest = Object.fromEntries(whole.filter(([name]) => !defaulted.includes(name)));
        // Header and cells of the example name what is left out.
        const body = resource.name === 'payroll-formats' ? { name: 'Hours', cells: [{ value: 'quantity' }] } : rest;
        const { next } = (await client.call('GET', '/changes?after=now')).body;
        const made = await client.call('POST', path, { body });
        assert.equal(made.status, 201, made.text);
        const { changes } = (await client.call('GET', `/changes?after=${next}&resource=${resource.name}`)).body;
        const [{ change, fields }] = changes;
        assert.equal(change, 'created');
        assert.deepEqual(
          defaulted.filter(name => made.body[name] !== null && !fields.includes(name)),
          [],
        );
      });
    }
  });

  describe('the entry of a new record names the same fields', () => {
    it('of a work time, posted or made of a proposal', async () => {
      const [one, other] = [await payroll.assignment(), await payroll.assignment()];
      const posted = await namedOf('work-times', () => payroll.work(one, { is_approved: 1 }));
      assert.ok(['minutes', 'break_minutes'].every(name => posted[0]?.includes(name)));
      const proposal = await payroll.propose(other);
      assert.deepEqual(await namedOf('work-times', () => payroll.accept(proposal)), posted);
    });

    it('of a proposal, posted or made of check-ins', async () => {
      const configurations = { work_time_proposals: { from_checkins: 1 } };
      const event = await payroll.staffing.event(start, end, { configurations });
      const id = await payroll.staffing.assignment(
        await payroll.staffing.employee(),
        await payroll.staffing.place(event),
        6,
      );
      const posted = await namedOf('work-time-proposals', () => payroll.propose(id));
      assert.ok(posted[0]?.includes('status'));
      await payroll.post('checkins', { assignment_id: id, type: 1, source: 2, timestamp: '2026-06-12T16:30:00Z' });
      const checkOut = { assignment_id: id, type: 4, source: 2, timestamp: '2026-06-12T22:00:00Z' };
      assert.deepEqual(await namedOf('work-time-proposals', () => payroll.post('checkins', checkOut)), posted);
    });

    it('of a wage, derived from work or made of a proposal', async () => {
      const id = await payroll.assignment({
        profile: await payroll.profile([{ id: 5, name: 'P', unit: 'hour', value: 2 }]),
      });
      const derived = await namedOf('assignment-wages', () => payroll.work(id));
      assert.ok(['is_disabled', 'is_valid'].every(name => derived[0]?.includes(name)));
      const proposal = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 2 });
      const accepting = () => payroll.put(`/wage-proposals/${proposal}`, { status: 2 });
      assert.deepEqual(await namedOf('assignment-wages', accepting), derived);
    });

    it('of a paysheet, made by hand, by a pay run or by reopening', async () => {
      const profile = await payroll.profile();
      const [one, other, third] = [
        await payroll.approved({ profile }),
        await payroll.approved({ profile }),
        await payroll.approved({ profile }),
      ];
      const own = ['pay_run_id', 'paid_on'];
      const body = { assignment_id: one, wage_profile_id: profile, ...period, lines: [] };
      const made = await namedOf('paysheets', () => payroll.post('paysheets', body), ...own);
      assert.ok(['currency', 'kind', 'status', 'total'].every(name => made[0]?.includes(name)));
      await payroll.put(`/assignments/${third}/pay`, { paid_on });
      assert.deepEqual(await namedOf('paysheets', () => payroll.reopen(third), ...own), made);
      assert.deepEqual(await namedOf('paysheets', () => payroll.run(profile), ...own), made);
      assert.deepEqual((await payroll.list(`/paysheets?assignment_id=${other}`)).length, 1);
    });
  });
});
