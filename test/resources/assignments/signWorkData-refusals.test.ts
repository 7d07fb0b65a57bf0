import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, errorsOf } from '../../domain/staffing/scene.ts';
import { end, pause, Site, signed_at, start, useSite, whole } from '../../domain/work/site.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((client, app) => {
  const site = useSite(client);

  describe('signed work', () => {
    it('is refused as a whole, with everything that stands against it', async () => {
      const event = await site.event();
      const [good, approved] = [await site.assignment(event), await site.assignment(event)];
      await client.call('PUT', `/assignments/${approved}/approve?force=true`, {
        body: { approved_by_planner_id: site.planner },
      });
      const response = await site.sign(
        [
          {
            assignment_id: good,
            work_times: [whole, { start, end: '2026-06-12T15:00:00Z' }, { start: '2026-02-30', end }],
          },
          {
            assignment_id: approved,
            work_times: [{ start: end, end: '2026-06-14T23:00:00Z' }],
            wages: [{ wage_type_id: 9, value: 1.2345 }],
          },
          { assignment_id: 999_999_999, work_times: [{ start, end, break_start: pause }] },
          { assignment_id: good, work_times: [] },
        ],
        { signed_at: '2026-13-01', signature_file_id: 999_999_999, approver: { type: 'planner', id: 999_999_999 } },
      );
      assert.deepEqual(errorsOf(response).sort(), [
        ['assignment_approved', 'items.1.assignment_id'],
        ['end_before_start', 'items.0.work_times.1.end'],
        ['invalid_format', 'items.0.work_times.2.start'],
        ['invalid_format', 'signed_at'],
        ['not_empty', 'items.2.work_times.0.break_end'],
        ['not_empty', 'items.3.work_times'],
        ['not_unique', 'items.3.assignment_id'],
        ['out_of_range', 'items.1.work_times.0.end'],
        ['reference_not_found', 'approver.id'],
        ['reference_not_found', 'items.1.wages.0.wage_type_id'],
        ['reference_not_found', 'items.2.assignment_id'],
        ['reference_not_found', 'signature_file_id'],
      ]);
      for (const id of [good, approved]) assert.deepEqual(await site.rows('work-time-proposals', id), []);
    });

    it('is refused with the same paths where the form of the body is wrong', async () => {
      const id = await site.assignment(await site.event());
      const response = await site.sign([
        {
          assignment_id: id,
          work_times: [
            { start, end },
            { start, end: 5 },
          ],
        },
      ]);
      assertErrors(response, 'invalid_type items.0.work_times.1.end');
      assertErrors(await site.sign([]), 'not_empty items');
      const many = Array.from({ length: 501 }, (__, index) => ({ assignment_id: index + 1, work_times: [] }));
      assertErrors(await site.sign(many), 'too_many_items items');
      const [item] = [{ assignment_id: id, work_times: [whole] }];
      const wages = [{ wage_type_id: 1, value: 1.23456 }];
      assertErrors(await site.sign([{ ...item, wages }]), 'out_of_range items.0.wages.0.value');
      assertErrors(await site.sign([item], { method: 'stamp' }), 'not_in_enumeration method');
      assertErrors(await site.sign([item], { remarks: 'a\0b' }), 'invalid_character remarks');
      assertErrors(await site.sign([item], { nonsense: 1 }), 'unknown_field nonsense');
    });

    it('is refused in a way of signing that is not offered, and of those whose approver it is not', async () => {
      const id = await site.assignment(
        await site.event({ configurations: { signed_work_data: { methods: ['pin'] } } }),
      );
      const other = await site.assignment(
        await site.event({
          contact_id: await site.staffing.create('contacts', { client_id: site.customer, lastname: 'D' }),
        }),
      );
      const response = await site.sign([
        { assignment_id: id, work_times: [whole] },
        { assignment_id: other, work_times: [whole] },
      ]);
      const told = response.body.errors.map(({ field, assignment_ids }: Record<string, unknown>) => [
        field,
        assignment_ids,
      ]);
      assert.deepEqual(told, [
        ['approver.id', [other]],
        ['method', [id]],
      ]);
    });

    it('is refused where its times overlap, or an assignment is paid', async () => {
      const id = await site.assignment(await site.event());
      const touching = [
        { start, end: pause },
        { start: pause, end },
      ];
      const overlapping = [...touching, { start: '2026-06-12T18:00:00Z', end: '2026-06-12T18:30:00Z' }];
      assertErrors(
        await site.sign([{ assignment_id: id, work_times: overlapping }]),
        'overlapping_work_time items.0.work_times.2.start',
      );
      assert.equal((await site.sign([{ assignment_id: id, work_times: touching }])).status, 200);
      await client.call('PUT', `/assignments/${id}/approve?force=true`, {
        body: { approved_by_planner_id: site.planner },
      });
      await client.call('PUT', `/assignments/${id}/pay`, { body: { paid_on: end } });
      assertErrors(
        await site.sign([{ assignment_id: id, work_times: [], wages: [{ wage_type_id: 3, value: 1 }] }]),
        'assignment_paid items.0.assignment_id',
      );
    });

    it('has wages in the currency of their profile only, whose amounts are in range', async () => {
      const wage_types = [
        { id: 1, name: 'Of another currency', type: '3', value: 1 },
        { id: 2, name: 'Dear', type: '3', value: 999_999 },
      ];
      const { body: profile } = await client.call('POST', '/wage-profiles', { body: { name: 'Francs', wage_types } });
      const [other, dear] = profile.wage_types;
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        const stored = JSON.stringify([{ ...other, currency_format: 'USD' }, dear]);
        await kysely.updateTable('wage_profiles').set({ wage_types: stored }).where('id', '=', profile.id).execute();
      });
      const employee = await site.staffing.employee({ wage_profile_id: profile.id });
      const id = await site.staffing.assignment(employee, await site.place(await site.event()), 6);
      const sign = (wage_type_id: number, value: number) =>
        site.sign([{ assignment_id: id, work_times: [], wages: [{ wage_type_id, value }] }]);
      assertErrors(await sign(1, 1), 'currency_mismatch items.0.wages.0.wage_type_id');
      assertErrors(await sign(2, 99_999), 'out_of_range items.0.wages.0.value');
      assert.equal((await sign(2, 1)).status, 200);
    });

    it('has wages of known terms only, and of tenants with payroll', async () => {
      const wages = [{ wage_type_id: 3, value: 1 }];
      const [standard] = (await client.call('GET', '/wage-profiles?is_default=1')).body;
      await client.call('PUT', `/wage-profiles/${standard.id}`, { body: { is_default: 0 } });
      const employee = await site.staffing.employee({ wage_profile_id: null });
      const id = await site.staffing.assignment(employee, await site.place(await site.event()), 6);
      assertErrors(
        await site.sign([{ assignment_id: id, work_times: [], wages }]),
        'wage_profile_missing items.0.wages.0.wage_type_id',
      );
      const poor = await app.newClient({ modules: new Set(['checkins']) });
      const body = {
        approver: { type: 'contact', id: 1 },
        signed_at,
        method: 'pin',
        items: [{ assignment_id: 1, work_times: [], wages }],
      };
      const response = await poor.call('POST', '/assignments/signed-work-data', { body });
      assert.deepEqual([response.status, response.body.code], [403, 'module_disabled']);
    });

    it("of another tenant's assignment is as if that had never been", async () => {
      const other = await app.newClient();
      const foreign = await new Site(other).prepare();
      const id = await foreign.assignment(await foreign.event());
      const of = async (assignment_id: number, contact: number) =>
        (await site.sign([{ assignment_id, work_times: [whole] }], { approver: { type: 'contact', id: contact } })).body
          .errors;
      assert.deepEqual(
        JSON.stringify(await of(id, foreign.contact)).replaceAll(String(id), '#'),
        JSON.stringify(await of(999_999_999, 999_999_998)).replaceAll('999999999', '#'),
      );
      const own = await site.assignment(await site.event());
      assert.deepEqual(
        (await of(own, foreign.contact)).map(({ field }: { field: string }) => field),
        ['approver.id'],
      );
    });
  });
});
