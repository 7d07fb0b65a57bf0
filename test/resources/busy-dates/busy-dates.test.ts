import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertErrors, Staffing } from '../../domain/staffing/scene.ts';
import { forEachApp } from '../../support/for-each-app.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forEachApp(client => {
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
});
