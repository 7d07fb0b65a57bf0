import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';
import { Caller, each, idsOf, minutesOf, type Row, repeated, sum, wageTypes } from './caller.ts';

/**
 * One evening of an agency, from the client's order to the bill. The gala is on Friday, 12 June 2026, from 18:00 to 2:00 in
 * Berlin, which is 16:00 to 0:00 UTC. An hour is paid 14.50, from 23:00 to 6:00 with a surcharge of 25 % (3.625), and each
 * assignment with a fare of 12.30. The client pays 28.50 for an hour, for at least 7.5 hours, and 15.00 for the travel.
 */
forAnyApp((_, app) => {
  const paid_on = '2026-07-01T10:00:00Z';
  let agency: Caller;
  let planner: number;
  let company: number;
  let project: number;
  let event: number;
  let service: number;
  let profile: number;
  const employees: number[] = [];
  /** The assignments of the employees, in their order. */
  let places: readonly number[] = [];
  /** The assignments of the 20 who work, in the order of the employees. */
  let crew: readonly number[] = [];

  /** The number of assignments of the gala by status. */
  const statuses = async (): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {};
    for (const { status } of await agency.get(`/assignments?event_id=${event}`))
      counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  before(async () => {
    agency = new Caller(await app.newClient({ timeZone: 'Europe/Berlin' }));
  });

  describe('an agency', () => {
    it('takes an order: client, terms, project, event and function', async () => {
      planner = await agency.post('planners', { first_name: 'Ida', last_name: 'Falk' });
      company = await agency.post('clients', { company: 'Nordlicht Hotels GmbH' });
      profile = await agency.post('wage-profiles', { name: 'Hourly', wage_types: wageTypes });
      const function_id = await agency.post('functions', { name: 'Service', wage_profile_id: profile });
      const billing = { name: 'Summer 2026', client_id: company, is_default: 1 };
      const billing_profile_id = await agency.post('billing-profiles', billing);
      await agency.post('billing-components', {
        billing_profile_id,
        name: 'Hour',
        function_id,
        rate: 28.5,
        min_quantity: 7.5,
      });
      await agency.post('billing-components', { billing_profile_id, name: 'Travel', rate: 15, unit: 'flat' });
      const configurations = {
        checkins: { enabled: 1 },
        work_time_proposals: { enabled: 1, from_checkins: 1, round_minutes: 15 },
      };
      project = await agency.post('projects', {
        name: 'Summer',
        client_id: company,
        planner_id: planner,
        configurations,
      });
      const times = { start: '2026-06-12 18:00:00', end: '2026-06-13 02:00:00' };
      const assigning = { auto_assign_enabled: 1, auto_assign_mode: 'assigned' };
      event = await agency.post('events', { project_id: project, name: 'Gala', status: 2, ...times, ...assigning });
      service = await agency.post('event-functions', { event_id: event, function_id, quantity: 20 });
    });

    it('invites 30 employees at once', async () => {
      for (let index = 0; index < 30; index++) {
        const person = { firstname: 'Tomasz', lastname: `Lindqvist ${index}`, status: 4, mobile: '+49 30 23125717' };
        employees.push(await agency.post('employees', person));
      }
      const path = '/assignments/bulk';
      const invited = await agency.ask('POST', path, { event_function_id: service, employee_ids: employees }, 200);
      assert.deepEqual([invited.requested, invited.created, invited.failed], [30, 30, 0]);
      places = invited.results.map(({ assignment_id }: Row) => assignment_id);
      const again = await agency.ask(
        'POST',
        path,
        { event_function_id: service, employee_ids: employees.slice(0, 1) },
        200,
      );
      assert.deepEqual([again.created, again.failed, again.results[0].error.code], [0, 1, 'already_in_function']);
      assert.deepEqual(await statuses(), { 1: 30 });
    });

    it('gets 25 applications, of which the first 20 are assigned', async () => {
      await each(places.slice(0, 25), id => agency.ask('POST', `/assignments/${id}/apply`, {}, 200));
      await each(places.slice(25, 28), id => agency.put(`/assignments/${id}/status`, { status: 8 }));
      assert.deepEqual(await statuses(), { 1: 2, 3: 5, 6: 20, 8: 3 });
      const assigned = await agency.get(`/assignments?event_id=${event}&auto_assigned=1&sort=id`);
      assert.deepEqual(idsOf(assigned), places.slice(0, 20));
      assert.equal((await agency.get(`/event-functions/${service}`)).statistics, '20/20');
      assert.equal(
        await agency.refused('PUT', `/assignments/${places[20]}/status`, { status: 6 }),
        'function_full status',
      );
    });

    it('confirms them, and replaces one who cancels', async () => {
      const confirmed = await agency.put('/assignments/status', { assignment_ids: places.slice(0, 20), status: 7 });
      assert.deepEqual([confirmed.changed, confirmed.failed], [20, 0]);
      await agency.put(`/assignments/${places[19]}/status`, { status: 8 });
      for (const status of [6, 7]) await agency.put(`/assignments/${places[20]}/status`, { status });
      crew = [...places.slice(0, 19), places[20] as number];
      assert.deepEqual(await statuses(), { 1: 2, 3: 4, 7: 20, 8: 4 });
    });

    it('sees them check in and out, and gets proposals of their times', async () => {
      // 16:00 to 0:00 with half an hour of break; 16:15 to 23:30; 16:00 to 0:45, each to the quarter of an hour.
      const groups: readonly [of: readonly number[], times: string][] = [
        [crew.slice(0, 10), '12T15:55 12T20:02 12T20:31 13T00:04'],
        [crew.slice(10, 16), '12T16:20 12T23:37'],
        [crew.slice(16), '12T15:58 13T00:38'],
      ];
      for (const [group, times] of groups)
        for (const [index, time] of times.split(' ').entries())
          await each(group, assignment_id => {
            const [type, timestamp] = [times.endsWith(time) ? 4 : 1 + index, `2026-06-${time}:00Z`];
            return agency.post('checkins', { assignment_id, type, source: 1, timestamp });
          });
      const proposals = await agency.get(`/work-time-proposals?assignment_id=${crew}&sort=assignment_id`);
      const minutes = proposals.map(minutesOf);
      // 7.5, 7.25 and 8.75 hours
      assert.deepEqual(minutes, [...repeated(10, 450), ...repeated(6, 435), ...repeated(4, 525)]);
    });

    it('accepts the proposals but for one, which the employee corrects, and two for additional pay', async () => {
      const proposals = await agency.get(`/work-time-proposals?assignment_id=${crew}&sort=assignment_id`);
      const wrong = proposals[15].id;
      await agency.put(`/work-time-proposals/${wrong}`, { status: 3 });
      const times = { start: '2026-06-12T16:00:00Z', end: '2026-06-12T23:30:00Z' };
      const corrected = await agency.post('work-time-proposals', { assignment_id: crew[15], ...times });
      const accepted = idsOf(proposals).filter((id: number) => id !== wrong);
      await each([...accepted, corrected], id => agency.put(`/work-time-proposals/${id}`, { status: 2 }));
      const carrying = await agency.post('wage-proposals', { assignment_id: crew[16], wage_type_id: 4, value: 3 });
      const expenses = await agency.post('wage-proposals', { assignment_id: crew[17], wage_type_id: 5, value: 12.35 });
      await each([carrying, expenses], id => agency.put(`/wage-proposals/${id}`, { status: 2 }));
    });

    it('approves the work: every wage and every sum is right to the cent', async () => {
      await each(crew, id => agency.put(`/assignments/${id}/approve`, { approved_by_planner_id: planner }));
      const approved = await agency.get(
        `/assignments?id=${crew}&sort=id&fields=id,pay_amount,is_approved,wage_profile_id`,
      );
      assert.ok(approved.every((row: Row) => row.is_approved === 1 && row.wage_profile_id === profile));
      const pay = approved.map(({ pay_amount }: Row) => pay_amount);
      // 7.5 × 14.5 = 108.75; 3 × 3.625 = 10.875, so 10.88; 12.30
      assert.deepEqual(pay.slice(0, 10), repeated(10, 131.93));
      // 7.25 × 14.5 = 105.125, so 105.13; 2.5 × 3.625 = 9.0625, so 9.06; 12.30
      assert.deepEqual(pay.slice(10, 15), repeated(5, 126.49));
      // 7.5 × 14.5 = 108.75; 9.06; 12.30
      assert.equal(pay[15], 130.11);
      // 8.75 × 14.5 = 126.875, so 126.88; 3.75 × 3.625 = 13.59375, so 13.59; 12.30; two with 3 × 2.5 = 7.50 and 12.35 more
      assert.deepEqual(pay.slice(16), [160.27, 165.12, 152.77, 152.77]);
      // 1,319.30 + 632.45 + 130.11 + 630.93
      assert.equal(sum(approved, 'pay_amount'), 2712.79);
      const wages = await agency.get(`/assignment-wages?assignment_id=${crew}`);
      // 20 × 3 + 2
      assert.equal(wages.length, 62);
      assert.equal(sum(wages, 'payable_amount'), 2712.79);
    });
  });

  describe('an agency, after the work,', () => {
    it('pays all of it with one pay run', async () => {
      const period = { period_start: '2026-06-01', period_end: '2026-06-30' };
      const run = await agency.ask('POST', '/pay-runs', { name: 'June 2026', ...period });
      assert.deepEqual([run.status, run.paysheet_count, run.total], [1, 20, 2712.79]);
      assert.deepEqual(run.totals, [{ currency: 'EUR', amount: 2712.79 }]);
      const lines = await agency.get(`/pay-runs/${run.id}/lines`);
      assert.deepEqual([lines.length, sum(lines, 'amount')], [62, 2712.79]);
      const nights = lines.filter(({ wage_type_id }: Row) => wage_type_id === 2);
      // 10 × 10.88 + 6 × 9.06 + 4 × 13.59
      assert.equal(sum(nights, 'amount'), 217.52);
      const csv = await agency.get(`/pay-runs/${run.id}/lines.csv`);
      assert.equal(csv.trim().split('\r\n').length, 1 + 62);
      await agency.put(`/pay-runs/${run.id}`, { status: 2 });
      const withdrawn = { approved_by_planner_id: null };
      assert.match(await agency.refused('PUT', `/assignments/${crew[0]}/approve`, withdrawn), /^on_pay_run/);
      await agency.put(`/pay-runs/${run.id}`, { status: 3, paid_on });
      const paid = await agency.get(`/assignments?id=${crew}&paid_on=${paid_on}`);
      assert.deepEqual([paid.length, sum(paid, 'pay_amount')], [20, 2712.79]);
      const sheets = await agency.get(`/paysheets?pay_run_id=${run.id}&status=3`);
      assert.deepEqual([sheets.length, sum(sheets, 'total')], [20, 2712.79]);
    });

    it('bills the client', async () => {
      const path = `/assignment-billings?client_id=${company}&sort=assignment_id,id`;
      const derived = await agency.get(path);
      assert.equal(derived.length, 40);
      // 16 × 7.5 × 28.5 = 16 × 213.75 = 3,420.00; 8.75 × 28.5 = 249.375, so 4 × 249.38 = 997.52; 20 × 15.00 = 300.00
      assert.equal(sum(derived, 'billable_amount'), 4717.52);
      const itemOf = (assignment: number | undefined, unit: string): number =>
        derived.find((item: Row) => item.assignment_id === assignment && item.unit === unit)?.id;
      await agency.put(`/assignment-billings/${itemOf(crew[15], 'flat')}`, { is_disabled: 1 });
      // 8.75 × 28.5 × 1.1 = 274.3125
      const raised = await agency.put(`/assignment-billings/${itemOf(crew[16], 'hour')}`, { factor: 1.1 });
      assert.equal(raised.billable_amount, 274.31);
      const open = await agency.get(`${path}&is_disabled=0&billed_on=null`);
      await each(idsOf(open), id => agency.put(`/assignment-billings/${id}`, { billed_on: paid_on }));
      const billed = await agency.get(`${path}&billed_on=-null`);
      assert.equal(billed.length, 39);
      // 4,717.52 − 15.00 − 249.38 + 274.31
      assert.equal(sum(billed, 'billable_amount'), 4727.45);
    });

    it('changes the phone number that an employee requests to change', async () => {
      const [employee] = employees;
      const changes = [{ field: 'mobile', new_value: '+49 30 23125718' }];
      const request = { entity: 'employees', entity_id: employee, changes, requested_by: employee };
      const id = await agency.post('change-requests', request);
      assert.equal((await agency.get(`/employees/${employee}`)).mobile, '+49 30 23125717');
      assert.equal((await agency.put(`/change-requests/${id}/decision`, { status: 2 })).status, 2);
      assert.equal((await agency.get(`/employees/${employee}`)).mobile, '+49 30 23125718');
    });

    it('aborts an event, whose people are free for another one, and keeps all that was worked', async () => {
      const times = { start: '2026-06-20T08:00:00Z', end: '2026-06-20T16:00:00Z' };
      const place = async () => {
        const event_id = await agency.post('events', { project_id: project, name: 'Brunch', status: 2, ...times });
        const function_id = (await agency.get(`/event-functions/${service}`)).function_id;
        return { event_id, id: await agency.post('event-functions', { event_id, function_id, quantity: 1 }) };
      };
      const [first, second] = [await place(), await place()];
      const booking = { employee_id: employees[0], status: 6 };
      await agency.post('assignments', { ...booking, event_function_id: first.id });
      const other = { ...booking, event_function_id: second.id };
      assert.match(await agency.refused('POST', '/assignments', other), /^double_booked/);
      await agency.put(`/events/${first.event_id}`, { status: 5 });
      await agency.post('assignments', other);
      const late = { ...booking, employee_id: employees[1], event_function_id: first.id };
      assert.match(await agency.refused('POST', '/assignments', late), /^event_not_active/);
      await agency.put(`/events/${event}`, { status: 5 });
      const worked = await agency.get(`/assignments?event_id=${event}&is_approved=1&sort=id`);
      assert.deepEqual(idsOf(worked), crew);
      assert.equal(sum(worked, 'pay_amount'), 2712.79);
      assert.ok(worked.every((row: Row) => row.paid_on === paid_on));
    });
  });
});
