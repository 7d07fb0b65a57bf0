import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import { createTenantFields } from '../../../src/attributes/tenant-fields.ts';
import { followJournal } from '../../../src/automations/follow.ts';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Corrections } from './corrections.ts';

/** What else concerns a correction: journal, webhooks, access, people who are forgotten, terms that change meanwhile. */
forAnyApp((client, app) => {
  const payroll = new Corrections(client);
  const reason = 'The shift ended earlier.';

  /** Paid work, with its profile and the pay run. */
  const paid = async () => {
    const profile = await payroll.profile();
    const id = await payroll.approved({ profile });
    const run = await payroll.run(profile);
    await payroll.payRun(run);
    return { profile, id, run };
  };

  describe('a correction', () => {
    it('is in the journal from the reopening to the run that pays it, and so are its webhooks', async () => {
      const { profile, id } = await paid();
      const automation = await automate(client, ['record.changed', { resource: ['assignments', 'paysheets'] }]);
      const { body: before } = await client.call('GET', '/changes?after=now');
      const changes = async (resource: string): Promise<[string, string[]][]> => {
        const { body } = await client.call('GET', `/changes?after=${before.next}&resource=${resource}`);
        return body.changes.map(({ change, fields }: { change: string; fields: string[] }) => [change, fields]);
      };
      assert.equal((await payroll.reopen(id)).status, 200);
      const [[, opened]] = (await changes('assignments')) as [[string, string[]]];
      for (const field of ['approved_by_planner_id', 'approved_on', 'correction', 'is_approved', 'pay_amount'])
        assert.ok(opened.includes(field), field);
      for (const field of ['paid_on', 'start', 'status', 'wage_profile_id']) assert.ok(!opened.includes(field), field);
      await payroll.rework(id, { end: '2026-06-13T00:00:00Z' });
      assert.equal((await payroll.approve(id)).status, 200);
      const closed = (await changes('assignments')).at(-1)?.[1] ?? [];
      for (const field of ['correction', 'is_approved', 'pay_amount']) assert.ok(closed.includes(field), field);
      await payroll.run(profile, { period_start: '2026-07-01', period_end: '2099-12-31' });
      const sheets = await changes('paysheets');
      assert.deepEqual(
        sheets.map(([change]) => change),
        ['created', 'updated'],
      );
      assert.ok(sheets[1]?.[1].includes('pay_run_id'));
      const fields = createTenantFields(resources);
      await followJournal(client.database.forTenant(client.tenant), fields);
      const told = (await deliveriesOf(client, automation)).filter(({ data }) => data.resource === 'paysheets');
      assert.equal(told.length, 2);
      await client.call('DELETE', `/automations/${automation}`);
    });

    it('is opened by nobody who only reads, and its paysheets are read only by those who may', async () => {
      const { id } = await paid();
      const body = { reason };
      const reader = await restricted(app, client, { scopes: ['assignments:read'] });
      assert.equal((await reader.call('PUT', `/assignments/${id}/reopen`, { body })).status, 405);
      const planner = await restricted(app, client, { scopes: ['assignments:read', 'assignments:write'] });
      const opened = await planner.call('PUT', `/assignments/${id}/reopen`, { body });
      assert.equal(opened.status, 200, opened.text);
      assert.equal((await planner.call('GET', '/paysheets?kind=correction')).status, 403);
    });

    it('does not exist for those from whom pay is hidden: the work is approved', async () => {
      const { id, run } = await paid();
      const user = await restricted(app, client, { hidden: ['pay'] });
      assert.equal((await payroll.reopen(id)).status, 200);
      const read = async (path: string) => (await user.call('GET', path)).text;
      for (const path of ['', '/history', '/open-actions', '/status-map'])
        assert.doesNotMatch(await read(`/assignments/${id}${path}`), /correction|reopen|paid/);
      assert.equal((await user.call('GET', '/assignments?correction=-null')).body.code, 'unknown_field');
      const withdrawal = { approved_by_planner_id: null };
      for (const [method, path, body] of [
        ['PUT', `/assignments/${id}/status`, { status: 7 }],
        ['PUT', `/assignments/${id}/time`, { start: '2026-06-12T15:00:00Z' }],
        ['PUT', `/assignments/${id}/approve`, withdrawal],
        ['PUT', '/assignments/approve', { ...withdrawal, assignment_ids: [id] }],
        ['PUT', `/assignments/${id}/reopen`, { reason }],
        ['DELETE', `/assignments/${id}`, undefined],
      ] as const) {
        const { text } = await user.call(method, path, body && { body });
        assert.match(text, /assignment_approved/, path);
        assert.doesNotMatch(text, /correction|paid/, path);
      }
      const planner = await payroll.staffing.planner();
      await payroll.rework(id, { end: '2026-06-13T00:00:00Z' });
      const approval = { body: { approved_by_planner_id: planner } };
      const tried = await user.call('PUT', `/assignments/${id}/approve?dry_run=true`, approval);
      assert.deepEqual([tried.status, 'correction' in tried.body], [200, false]);
      assert.equal((await payroll.approve(id)).status, 200);
      const sheets = await user.call('GET', `/paysheets?assignment_id=${id}`);
      assert.doesNotMatch(sheets.text, /kind|corrects|number|total|lines/);
      assert.doesNotMatch(await read(`/pay-runs/${run}/lines`), /kind|corrects|amount/);
    });

    it('loses its reason when the person is forgotten, and is finished all the same', async () => {
      const { id } = await paid();
      await payroll.reopen(id);
      const [{ employee_id }] = await payroll.list(`/assignments?id=${id}`);
      const forgotten = await client.call('DELETE', `/employees/${employee_id}?anonymize=true`);
      assert.equal(forgotten.status, 204, forgotten.text);
      const [{ correction }] = await payroll.list(`/assignments?id=${id}`);
      assert.deepEqual([correction.number, correction.reason], [1, null]);
      const history = await payroll.list(`/assignments/${id}/history`);
      assert.doesNotMatch(JSON.stringify(history), /ended earlier/);
      await payroll.rework(id, { end: '2026-06-13T00:00:00Z' });
      assert.equal((await payroll.approve(id)).status, 200);
      assert.equal((await payroll.corrections(id))[0].total, -18.12);
    });

    it('is opened once by repeated requests, and tried out without a trace', async () => {
      const { id } = await paid();
      assert.equal((await payroll.reopen(id, reason, '?dry_run=true')).body.correction.number, 1);
      assert.equal((await payroll.list(`/assignments?id=${id}`))[0].correction, null);
      const asked = { body: { reason }, headers: { 'idempotency-key': `reopening-${id}` } };
      for (const replayed of [undefined, 'true']) {
        const response = await client.call('PUT', `/assignments/${id}/reopen`, asked);
        assert.deepEqual([response.status, response.headers['idempotency-replayed']], [200, replayed]);
      }
      const entries = (await payroll.list(`/assignments/${id}/history`)).filter(
        ({ action }) => action === 'correction',
      );
      assert.equal(entries.length, 1);
    });

    it('keeps the wage profile that has paid the work, and reverses a rate that has changed since', async () => {
      const { profile, id } = await paid();
      await payroll.reopen(id);
      const [{ event_function_id: place }] = await payroll.list(`/assignments?id=${id}`);
      const other = await payroll.profile([{ id: 1, name: 'Base hour', unit: 'hour', value: 99 }]);
      assert.equal((await payroll.put(`/event-functions/${place}`, { wage_profile_id: other })).status, 200);
      const raised = [{ id: 1, name: 'Base hour', unit: 'hour', value: 16 }];
      assert.equal((await payroll.put(`/wage-profiles/${profile}`, { wage_types: raised })).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
      const [sheet] = await payroll.corrections(id);
      const lines = sheet.lines.map(({ name, quantity, rate, amount }: Record<string, unknown>) => [
        ...[name, quantity, rate, amount],
      ]);
      // 9 h at 16.00 are owed, and all that has been paid (157.30) is taken back.
      assert.deepEqual(lines[0], ['Base hour', 9, 16, 144]);
      assert.equal(sheet.total, -13.3);
      assert.equal((await payroll.list(`/assignments?id=${id}`))[0].wage_profile_id, profile);
    });

    it('keeps the lines of the paysheet that it began with, even if the payment is taken back', async () => {
      const id = await payroll.approved();
      await payroll.pay(id);
      await payroll.reopen(id);
      assert.equal((await payroll.approve(id)).status, 200);
      assert.equal((await payroll.put(`/assignments/${id}/pay`, { paid_on: null })).status, 200);
      const [{ id: sheet, status }] = await payroll.list(`/paysheets?assignment_id=${id}`);
      const lines = [{ name: 'Bonus', amount: 10 }];
      assertErrors(await payroll.put(`/paysheets/${sheet}`, { lines }), 'read_only lines');
      assert.deepEqual([status, (await client.call('DELETE', `/paysheets/${sheet}`)).status], [2, 204]);
    });

    it('is collected by runs of the wage profile of the paysheet that it corrects', async () => {
      const { profile, id } = await paid();
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      const later = { period_start: '2026-07-01', period_end: '2099-12-31' };
      assert.deepEqual(await payroll.held(await payroll.run(await payroll.profile(), later)), []);
      assert.deepEqual(await payroll.held(await payroll.run(profile, later)), [id]);
    });

    it('of work paid in another currency has a paysheet for each', async () => {
      const { profile, id } = await paid();
      await payroll.reopen(id);
      assert.equal((await payroll.put(`/wage-profiles/${profile}`, { currency: 'JPY' })).status, 200);
      assert.equal((await payroll.approve(id)).status, 200);
      const sheets = (await payroll.corrections(id)).map(({ currency, total }) => [currency, total]);
      // 9 h and 4 h at a quarter at 14.5, and the fare of 12.3, each rounded to whole yen.
      assert.deepEqual(sheets, [
        ['EUR', -157.3],
        ['JPY', 131 + 15 + 12],
      ]);
      const run = await payroll.run(profile, { period_start: '2026-07-01', period_end: '2099-12-31' });
      const [{ total, totals }] = await payroll.list(`/pay-runs?id=${run}`);
      assert.deepEqual(
        [total, totals],
        [
          null,
          [
            { currency: 'EUR', amount: -157.3 },
            { currency: 'JPY', amount: 158 },
          ],
        ],
      );
    });

    it('that is open keeps its paysheets out of pay runs, and does not stand for another paysheet', async () => {
      const { profile, id } = await paid();
      await payroll.correct(id, { end: '2026-06-13T00:00:00Z' });
      await payroll.reopen(id);
      const later = { period_start: '2026-07-01', period_end: '2099-12-31' };
      assert.deepEqual(await payroll.held(await payroll.run(profile, later)), []);
      await payroll.approve(id);
      const period = { period_start: '2026-07-01', period_end: '2026-07-31' };
      const second = await client.call('POST', '/paysheets', { body: { assignment_id: id, ...period, lines: [] } });
      assertErrors(second, 'not_unique assignment_id');
      // Of a month that ended before the correction, a run has none.
      assert.deepEqual(await payroll.held(await payroll.run(profile, period)), []);
      assert.deepEqual(await payroll.held(await payroll.run(profile, later)), [id]);
    });
  });
});
