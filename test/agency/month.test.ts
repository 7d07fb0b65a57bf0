import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { automate } from '../automations/scene.ts';
import { day, hour, inboxOf, instant, minute, moveTo, timeOf } from '../resources/sandbox/scene.ts';
import type { Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { Caller, each, type Row } from './caller.ts';

/** What an integrator tests with the clock of a sandbox: a month from the invitation to the pay, with automations on the way. */
forAnyApp((_, app) => {
  let client: Client;
  let agency: Caller;
  let planner: number;
  let event: number;
  let place: number;
  let people: readonly number[] = [];
  let places: readonly number[] = [];
  let began: number;
  let start: number;
  let end: number;
  let read = 0;

  /** Moves the clock, and returns the webhooks on the way. */
  const until = async (moment: number): Promise<readonly Row[]> => {
    const response = await moveTo(client, moment);
    assert.equal(response.status, 200, response.text);
    const messages = await inboxOf(client, read ? `?after=${read}` : '');
    read = messages.at(-1)?.id ?? read;
    return messages.map(({ body, received_at }) => ({ ...JSON.parse(body), received_at }));
  };

  /** Returns who has a webhook told: the statuses that assignments were changed to. */
  const changed = (messages: readonly Row[]) =>
    messages
      .filter(({ type }) => type === 'assignment.status_changed')
      .map(({ data }) => [places.indexOf(data.assignment_id), data.to]);

  const assertAt = (message: Row, type: string, moment: number): void => {
    assert.equal(message?.type, type);
    const late = Date.parse(message.received_at) - moment;
    assert.ok(late >= 0 && late < 20 * minute, `${message.received_at}: ${instant(moment)} is expected`);
  };

  const statusOf = async (id: number | undefined): Promise<number> => (await agency.get(`/assignments/${id}`)).status;

  before(async () => {
    client = await app.newClient({ sandbox: true });
    agency = new Caller(client);
    began = await timeOf(client);
    start = Math.ceil((began + 20 * day) / hour) * hour;
    end = start + 8 * hour;
  });

  describe('a month from invitation to pay, in a sandbox', () => {
    it('begins with an order, and automations for what is to happen by itself', async () => {
      planner = await agency.post('planners', { first_name: 'Ida', last_name: 'Falk' });
      const wage_types = [{ id: 1, name: 'hours', type: '1', unit: 'hour', value: 15 }];
      const wage_profile_id = await agency.post('wage-profiles', { name: 'Hourly', wage_types });
      const function_id = await agency.post('functions', { name: 'Service', wage_profile_id });
      const configurations = { work_time_proposals: { enabled: 1, from_checkins: 1, round_minutes: 15 } };
      const project_id = await agency.post('projects', { name: 'Summer', planner_id: planner, configurations });
      const times = { start: instant(start), end: instant(end) };
      event = await agency.post('events', { project_id, name: 'Gala', status: 2, ...times });
      place = await agency.post('event-functions', { event_id: event, function_id, quantity: 2 });
      const named = (lastname: string) => agency.post('employees', { firstname: 'Mira', lastname, status: 4 });
      people = [await named('Sand'), await named('Kern'), await named('Wolf')];
      await automate(client, ['assignment.status_changed', {}]);
      await automate(client, ['function.understaffed', { minutes: 10 * 1440 }]);
      await automate(client, ['event.starts_in', { minutes: 1440 }]);
      await automate(client, ['event.starts_in', { minutes: 60 }], ['function.lock', {}]);
      await automate(client, ['checkin.created', { type: [1] }], ['assignment.set_status', { status: 7 }]);
      await automate(client, ['record.changed', { resource: ['pay-runs'], include: 'record' }]);
    });

    it('invites on the first day; of three, one applies and one may come', async () => {
      const invited = await agency.ask(
        'POST',
        '/assignments/bulk',
        { event_function_id: place, employee_ids: people },
        200,
      );
      places = invited.results.map(({ assignment_id }: Row) => assignment_id);
      assert.deepEqual(changed(await until(began + hour)), [
        [0, 1],
        [1, 1],
        [2, 1],
      ]);
      await agency.ask('POST', `/assignments/${places[0]}/apply`, {}, 200);
      await agency.ask('POST', `/assignments/${places[1]}/apply`, { maybe: 1 }, 200);
      await agency.put(`/assignments/${places[2]}/status`, { status: 8 });
      await agency.put(`/assignments/${places[0]}/status`, { status: 6 });
      const told = changed(await until(began + day));
      assert.deepEqual(
        told.toSorted(),
        [
          [0, 3],
          [1, 4],
          [2, 8],
          [0, 6],
        ].toSorted(),
      );
    });

    it('is reminded of the free place ten days before, and of the event on the day before', async () => {
      const [understaffed, ...others] = await until(start - 9 * day);
      assertAt(understaffed, 'function.understaffed', start - 10 * day);
      assert.deepEqual([understaffed.data.event_function_id, understaffed.data.open, others], [place, 1, []]);
      await agency.put(`/assignments/${places[1]}/status`, { status: 6 });
      const messages = await until(start - 2 * hour);
      assert.deepEqual(changed(messages), [[1, 6]]);
      assertAt(messages[1], 'event.starts_in', start - day);
      assert.equal(messages.length, 2);
      assert.equal((await agency.get(`/event-functions/${place}`)).is_locked, 0);
    });

    it('locks the function an hour before, and confirms who checks in', async () => {
      assert.deepEqual(await until(start - 10 * minute), []);
      assert.equal((await agency.get(`/event-functions/${place}`)).is_locked, 1);
      const stamp = (type: number, moment: number) =>
        each(places.slice(0, 2), assignment_id =>
          agency.post('checkins', { assignment_id, type, source: 1, timestamp: instant(moment) }),
        );
      await stamp(1, start - 10 * minute);
      assert.deepEqual(changed(await until(start)), [
        [0, 7],
        [1, 7],
      ]);
      assert.deepEqual([await statusOf(places[0]), await statusOf(places[1])], [7, 7]);
      await until(end);
      await stamp(4, end);
    });

    it('accepts the proposed times, and approves the work on the next day', async () => {
      await until(end + day);
      const proposals = await agency.get(`/work-time-proposals?assignment_id=${places}&sort=assignment_id`);
      assert.equal(proposals.length, 2);
      await each(proposals, ({ id }: Row) => agency.put(`/work-time-proposals/${id}`, { status: 2 }));
      await each(places.slice(0, 2), id =>
        agency.put(`/assignments/${id}/approve`, { approved_by_planner_id: planner }),
      );
      const approved = await agency.get(`/assignments?id=${places.slice(0, 2)}&fields=pay_amount,approved_on`);
      // 8.25 hours, since they came 10 minutes before: 8.25 × 15
      assert.deepEqual(
        approved.map(({ pay_amount }: Row) => pay_amount),
        [123.75, 123.75],
      );
      for (const { approved_on } of approved) assert.ok(Date.parse(approved_on) >= end + day);
    });

    it('pays it at the end of the month, which the last webhook tells', async () => {
      const month = began + 30 * day;
      await until(month);
      const [from, to] = [start - 2 * day, end + 2 * day].map(moment => instant(moment).slice(0, 10));
      const run = await agency.ask('POST', '/pay-runs', { name: 'The month', period_start: from, period_end: to });
      assert.deepEqual([run.status, run.paysheet_count, run.total], [1, 2, 247.5]);
      const paid_on = instant(month + hour);
      await agency.put(`/pay-runs/${run.id}`, { status: 2 });
      await agency.put(`/pay-runs/${run.id}`, { status: 3, paid_on });
      const messages = await until(month + 2 * hour);
      assert.deepEqual(
        messages.map(({ type, data }) => [type, data.change]),
        [
          ['record.changed', 'created'],
          ['record.changed', 'updated'],
          ['record.changed', 'updated'],
        ],
      );
      assert.deepEqual([messages[2]?.data.record.status, messages[2]?.data.record.total], [3, 247.5]);
      const paid = await agency.get(`/assignments?id=${places}&paid_on=${paid_on}`);
      assert.equal(paid.length, 2);
    });
  });
});
