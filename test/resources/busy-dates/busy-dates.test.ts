import assert from 'node:assert/strict';
import { it } from 'node:test';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { until } from '../../support/until.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  const post = (body: object) => client.call('POST', '/busy-dates', { body });

  it('a busy date does not end before it starts', async () => {
    const employee_id = await staffing.employee();
    assertErrors(await post({ employee_id, start: end, end: start }), 'end_before_start end');
    assert.equal((await post({ employee_id, start, end })).status, 201);
  });

  it('a busy date over assignments that hold their place is stored, and they stay as they are', async () => {
    const employee_id = await staffing.employee();
    for (const status of [5, 6, 7]) {
      const id = await staffing.assignment(
        employee_id,
        await staffing.shift(start.replace('12T', `${12 + status}T`), end.replace('12T', `${12 + status}T`)),
        status === 7 ? 6 : status,
      );
      if (status === 7) await staffing.setStatus(id, 7);
      const made = await post({ employee_id, start: start.replace('12T', '01T'), end: end.replace('12T', '30T') });
      assert.equal(made.status, 201, made.text);
      assert.equal(await staffing.statusOf(id), status);
      assert.equal((await client.call('DELETE', `/busy-dates/${made.body.id}`)).status, 204);
    }
  });

  it('a busy date keeps its employee from what is new: bookings and times that move into it', async () => {
    const employee_id = await staffing.employee();
    assert.equal((await post({ employee_id, start, end })).status, 201);
    const id = await staffing.assignment(employee_id, await staffing.shift(start, end));
    assertErrors(await staffing.setStatus(id, 6), 'absent status');
    assert.equal((await staffing.setStatus(id, 5)).status, 200);
    const touching = await staffing.assignment(employee_id, await staffing.shift(end, '2026-06-13T02:00:00Z'), 6);
    const moved = await client.call('PUT', `/assignments/${touching}/time`, {
      body: { start: '2026-06-12T21:59:59Z' },
    });
    assertErrors(moved, 'absent start');
  });

  it('how a busy date was entered is kept as it was sent, and its known members have their types', async () => {
    const employee_id = await staffing.employee();
    const busy_entry = { all_day: 1, source: 'calendar', external_id: 'b61f-22', recurrence: null, colour: 'red' };
    const { body } = await post({ employee_id, start, end, busy_entry });
    assert.deepEqual(body.busy_entry, busy_entry);
    assertErrors(
      await post({ employee_id, start, end, busy_entry: { all_day: 'yes', source: 5 } }),
      'invalid_type busy_entry.all_day',
      'invalid_type busy_entry.source',
    );
    assertErrors(await post({ employee_id, start, end, busy_entry: [] }), 'invalid_type busy_entry');
    assertErrors(await client.call('PUT', `/busy-dates/${body.id}`, { body: { start: end } }), 'read_only start');
  });

  it('an absence of whole days keeps its employee from work on these days, however its times are written', async () => {
    const day = { start: '2027-11-04T23:00:00Z', end: '2027-11-05T23:00:00Z' };
    const all_day = { busy_entry: { all_day: 1 } };
    const cases: [given: object, want: typeof day][] = [
      [{ start: '2027-11-05', end: '2027-11-05' }, day],
      [{ start: '2027-11-05', end: '2027-11-05', ...all_day }, day],
      [{ start: '2027-11-05 09:00:00', end: '2027-11-05 10:00:00', busy_entry: { all_day: true } }, day],
      [{ ...day, ...all_day }, day],
      [{ start: day.start, end: day.start, ...all_day }, day],
      [
        { start: '2027-11-05 09:00:00', end: '2027-11-05', busy_entry: { all_day: 0 } },
        { ...day, start: '2027-11-05T08:00:00Z' },
      ],
      // The clocks change on 2027-10-31: the day has 25 hours.
      [
        { start: '2027-10-31', end: '2027-10-31', ...all_day },
        { start: '2027-10-30T22:00:00Z', end: '2027-10-31T23:00:00Z' },
      ],
    ];
    for (const [given, want] of cases) {
      const employee_id = await staffing.employee();
      const { body, text } = await post({ employee_id, ...given });
      assert.deepEqual({ start: body.start, end: body.end }, want, text);
      const again = await client.call('PUT', `/busy-dates/${body.id}`, { body: { ...given } });
      assert.equal(again.status, 200, again.text);
      const shift = await staffing.shift(want.start, want.end);
      const refused = await client.call('POST', '/assignments', {
        body: { employee_id, event_function_id: shift, status: 6 },
      });
      assertErrors(refused, 'absent employee_id');
    }
  });

  it('an absence of whole days can be put back after its tenant has moved to another time zone', async () => {
    const moving = await app.newClient();
    const employee_id = await new Staffing(moving).employee();
    const days = { start: '2027-11-05', end: '2027-11-06', busy_entry: { all_day: 1 } };
    const { body: made } = await moving.call('POST', '/busy-dates', { body: { employee_id, ...days } });
    await updateTenant(moving.database, moving.tenant, { timeZone: 'Asia/Kathmandu' }, 'test');
    const zoneOf = async () => (await moving.call('GET', '/me')).body.tenant.time_zone;
    await until('the tenant is in Kathmandu', async () => (await zoneOf()) === 'Asia/Kathmandu');
    const put = (body: object) => moving.call('PUT', `/busy-dates/${made.id}`, { body });
    const again = await put({ ...made, reason: 'Moved', start: '2027-11-05T00:00:00+01:00' });
    assert.deepEqual(
      [again.body.start, again.body.end, again.body.reason],
      [made.start, made.end, 'Moved'],
      again.text,
    );
    assertErrors(await put({ ...made, ...days }), 'read_only start', 'read_only end');
  });

  it('no interval of date-times has the length zero', async () => {
    const employee_id = await staffing.employee();
    assertErrors(await post({ employee_id, start, end: start }), 'end_before_start end');
    const event_id = await staffing.event(start, end);
    const change = (path: string, body: object) => client.call('PUT', path, { body });
    assertErrors(await change(`/events/${event_id}`, { end: start }), 'end_before_start end');
    assertErrors(
      await change(`/events/${event_id}`, { break_start: start, break_end: start }),
      'end_before_start break_end',
    );
    const place = await staffing.place(event_id);
    assertErrors(await change(`/event-functions/${place}`, { start, end: start }), 'end_before_start end');
    assertErrors(await change(`/event-functions/${place}`, { start: end }), 'end_before_start end');
    const id = await staffing.assignment(employee_id, place, 6);
    assertErrors(await change(`/assignments/${id}/time`, { start, end: start }), 'end_before_start end');
    for (const [path, field] of [
      ['/work-times', 'event_function_employee_id'],
      ['/work-time-proposals', 'assignment_id'],
    ] as const)
      assertErrors(
        await client.call('POST', path, { body: { [field]: id, start, end: start } }),
        'end_before_start end',
      );
    // A break may begin with the work; a period of dates may be one day.
    const request = { employee_id, name: 'One day', from: '2026-06-12', to: '2026-06-12' };
    assert.equal((await client.call('POST', '/availability-requests', { body: request })).status, 201);
  });
});
