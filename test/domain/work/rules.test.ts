import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf } from '../staffing/scene.ts';
import { end, Payroll, start } from './scene.ts';

forEachApp(client => {
  const payroll = new Payroll(client);

  describe('a work time', () => {
    it('tells its minutes and those of its break', async () => {
      const id = await payroll.assignment();
      const pause = { break_start: '2026-06-12T19:00:00Z', break_end: '2026-06-12T19:45:00Z' };
      await payroll.work(id, pause);
      const [work] = await payroll.list(`/work-times?event_function_employee_id=${id}`);
      assert.deepEqual([work.minutes, work.break_minutes], [495, 45]);
    });

    it('tells since when it is approved, and is not once it no longer is', async () => {
      const work = await payroll.work(await payroll.assignment(), { is_approved: 1 });
      assert.notEqual((await payroll.list(`/work-times?id=${work}`))[0].approved_on, null);
      assert.equal((await payroll.put(`/work-times/${work}`, { is_approved: 0 })).body.approved_on, null);
    });

    it('that is approved never moves over another approved one of the employee, but may touch it', async () => {
      const employee = await payroll.staffing.employee();
      const [first, second] = [await payroll.assignment({ employee }), await payroll.assignment({ employee })];
      await payroll.work(first, { is_approved: 1 });
      const work = await payroll.work(second, { is_approved: 1, start: end, end: '2026-06-13T03:00:00Z' });
      const early = await payroll.put(`/work-times/${work}`, { start: '2026-06-13T00:59:00Z' });
      assertErrors(early, 'overlapping_work_time start');
      assert.equal((await payroll.put(`/work-times/${work}`, { end: '2026-06-13T04:00:00Z' })).status, 200);
      const elsewhere = await payroll.assignment();
      assert.equal(typeof (await payroll.work(elsewhere, { is_approved: 1 })), 'number');
    });
  });

  describe('a wage profile', () => {
    const wrong: readonly [says: string, types: unknown[], code: string, place: string][] = [
      ['has no name', [{ id: 1 }], 'not_empty', '0.name'],
      ['has a field that there is not', [{ id: 1, name: 'A', rate: 3 }], 'unknown_field', '0.rate'],
      ['has another kind', [{ id: 1, name: 'A', type: '9' }], 'not_in_enumeration', '0.type'],
      ['has a kind that is no text', [{ id: 1, name: 'A', type: 1 }], 'invalid_type', '0.type'],
      ['has a value below nothing', [{ id: 1, name: 'A', value: -1 }], 'out_of_range', '0.value'],
      ['has a value that is no number', [{ id: 1, name: 'A', value: '14.5' }], 'invalid_type', '0.value'],
      ['has a value of five places', [{ id: 1, name: 'A', value: 1.00001 }], 'invalid_format', '0.value'],
      ['pays too much', [{ id: 1, name: 'A', value: 999_999, factor: 2 }], 'out_of_range', '0.value'],
      [
        'has an id twice',
        [
          { id: 1, name: 'A' },
          { id: 1, name: 'B' },
        ],
        'not_unique',
        '1.id',
      ],
      [
        'has an eighth day',
        [{ id: 1, name: 'A', windows: [{ week_days: [8] }] }],
        'out_of_range',
        '0.windows.0.week_days.0',
      ],
      [
        'has half an hour too much',
        [{ id: 1, name: 'A', windows: [{ from: '24:30' }] }],
        'invalid_format',
        '0.windows.0.from',
      ],
      [
        'has a window of another shape',
        [{ id: 1, name: 'A', windows: [{ start: '22:00' }] }],
        'unknown_field',
        '0.windows.0.start',
      ],
      ['has windows that are no list', [{ id: 1, name: 'A', windows: {} }], 'invalid_type', '0.windows'],
      [
        'has a minimum of more than a day',
        [{ id: 1, name: 'A', minimum_minutes: 1441 }],
        'out_of_range',
        '0.minimum_minutes',
      ],
      ['pays flat within windows', [{ id: 1, name: 'A', type: '3', windows: [{}] }], 'invalid_type', '0.windows'],
      [
        'pays a minimum on proposal',
        [{ id: 1, name: 'A', type: '4', minimum_minutes: 60 }],
        'invalid_type',
        '0.minimum_minutes',
      ],
    ];
    for (const [says, types, code, place] of wrong) {
      it(`is refused if a wage type ${says}`, async () => {
        const body = { name: 'Hourly', wage_types: types };
        const answer = await payroll.client.call('POST', '/wage-profiles', { body });
        assert.deepEqual(errorsOf(answer), [[code, `wage_types.${place}`]]);
        const known = await payroll.profile();
        assert.deepEqual(errorsOf(await payroll.put(`/wage-profiles/${known}`, body)), [[code, `wage_types.${place}`]]);
      });
    }

    it('keeps wage types as they were written', async () => {
      const types = [
        {
          id: 7,
          name: 'Weekend',
          type: '2',
          value: 1.2345,
          factor: 0.5,
          windows: [{ week_days: [6, 7] }, { from: '22:00' }],
          minimum_minutes: 15,
        },
      ];
      const id = await payroll.profile(types);
      assert.deepEqual((await payroll.list(`/wage-profiles?id=${id}`))[0].wage_types, types);
    });
  });

  describe('a paysheet', () => {
    const period = { period_start: '2026-06-01', period_end: '2026-06-30' };
    const lines = [
      { name: 'Hours', amount: 10.1 },
      { name: 'Night', amount: 0.2 },
    ];

    it('tells the sum of its lines', async () => {
      const id = await payroll.post('paysheets', { assignment_id: await payroll.assignment(), ...period, lines });
      assert.equal((await payroll.list(`/paysheets?id=${id}`))[0].total, 10.3);
      assert.equal((await payroll.put(`/paysheets/${id}`, { lines: lines.slice(1) })).body.total, 0.2);
    });

    it('is paid at some time, or not paid at all', async () => {
      const id = await payroll.post('paysheets', { assignment_id: await payroll.assignment(), ...period, lines });
      const put = (body: object) => payroll.put(`/paysheets/${id}`, body);
      const paid_on = '2026-07-01T10:00:00Z';
      assertErrors(await put({ status: 3 }), 'not_empty paid_on');
      assertErrors(await put({ paid_on }), 'invalid_transition status');
      assert.equal((await put({ status: 3, paid_on })).body.paid_on, paid_on);
      assertErrors(await put({ lines: [] }), 'read_only lines');
      assertErrors(await put({ status: 2 }), 'invalid_transition status');
      assert.equal((await put({ status: 2, paid_on: null })).status, 200);
      assert.equal((await put({ lines: [] })).body.total, 0);
    });
  });

  describe('a dry run', () => {
    it('of every write of work and pay answers as the write would, and stores nothing', async () => {
      const id = await payroll.assignment();
      const work = await payroll.work(id);
      const proposal = await payroll.propose(id, { start: end, end: '2026-06-13T03:00:00Z' });
      const asked = await payroll.post('wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 });
      const paysheet = await payroll.post('paysheets', {
        assignment_id: id,
        period_start: '2026-06-01',
        period_end: '2026-06-30',
      });
      const profile = await payroll.profile();
      const [wage] = await payroll.list(`/assignment-wages?assignment_id=${id}`);
      const approved_by_planner_id = await payroll.staffing.planner();
      const resources = [
        'work-times',
        'work-time-proposals',
        'wage-proposals',
        'assignment-wages',
        'paysheets',
        'wage-profiles',
        'assignments',
        `assignments/${id}/history`,
      ];
      const stored = () => Promise.all(resources.map(path => payroll.list(`/${path}`)));
      const before = await stored();
      const writes: [method: string, path: string, body: object | undefined, status: number][] = [
        ['POST', '/work-times', { event_function_employee_id: id, start, end }, 201],
        ['PUT', `/work-times/${work}`, { end: '2026-06-13T00:00:00Z' }, 200],
        ['DELETE', `/work-times/${work}`, undefined, 204],
        ['POST', '/work-time-proposals', { assignment_id: id, start, end }, 201],
        ['PUT', `/work-time-proposals/${proposal}`, { status: 2 }, 200],
        ['PUT', `/work-time-proposals/${proposal}`, { end: start }, 422],
        ['DELETE', `/work-time-proposals/${proposal}`, undefined, 204],
        ['POST', '/wage-proposals', { assignment_id: id, wage_type_id: 5, value: 1 }, 201],
        ['PUT', `/wage-proposals/${asked}`, { status: 2 }, 200],
        ['DELETE', `/wage-proposals/${asked}`, undefined, 204],
        ['POST', '/assignment-wages', { assignment_id: id, payable_amount: 1 }, 201],
        ['PUT', `/assignment-wages/${wage.id}`, { factor: 1 }, 200],
        ['DELETE', `/assignment-wages/${wage.id}`, undefined, 204],
        ['PUT', `/paysheets/${paysheet}`, { status: 2 }, 200],
        ['DELETE', `/paysheets/${paysheet}`, undefined, 204],
        ['POST', '/paysheets', { assignment_id: id, period_start: '2026-06-01', period_end: '2026-06-30' }, 201],
        ['POST', '/wage-profiles', { name: 'Other' }, 201],
        ['PUT', `/wage-profiles/${profile}`, { wage_types: [] }, 200],
        ['DELETE', `/wage-profiles/${profile}`, undefined, 204],
        ['PUT', `/assignments/${id}/approve`, { approved_by_planner_id }, 200],
        ['PUT', `/assignments/${id}/pay`, { paid_on: start }, 422],
      ];
      for (const [method, path, body, status] of writes) {
        const answer = await payroll.client.call(method, `${path}?dry_run=true`, body && { body });
        assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
        assert.deepEqual(await stored(), before, `${method} ${path}`);
      }
      const rehearsed = await payroll.approve(id, '?dry_run=true');
      assert.equal(rehearsed.body.pay_amount, (await payroll.approve(id)).body.pay_amount);
      const paid = await payroll.put(`/assignments/${id}/pay?dry_run=true`, { paid_on: start });
      assert.equal(paid.body.paid_on, start);
      assert.equal((await payroll.list(`/assignments?id=${id}`))[0].paid_on, null);
    });
  });
});
