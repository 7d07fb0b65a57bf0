import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors, Staffing } from './scene.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);
  const get = async (path: string) => (await client.call('GET', path)).body;
  const setEvent = (id: number, status: number, query = '') =>
    client.call('PUT', `/events/${id}${query}`, { body: { status } });

  it('the assignments of an aborted event take no time, fill no place, and have no open actions', async () => {
    const employee_id = await staffing.employee();
    const event = await staffing.event(start, end);
    const place = await staffing.place(event);
    const id = await staffing.assignment(employee_id, place, 6);
    const elsewhere = await staffing.shift(start, end);
    const candidate = async () =>
      (await get(`/event-functions/${elsewhere}/candidates`)).find(
        (found: { employee_id: number }) => found.employee_id === employee_id,
      );
    const statistics = () =>
      Promise.all(
        [`/events/${event}`, `/event-functions/${place}`, `/assignments/${id}`].map(
          async path => (await get(`${path}?fields=statistics`)).statistics,
        ),
      );
    assert.equal((await candidate()).free.passed, 0);
    assert.notEqual((await get(`/assignments/${id}/open-actions`)).count, 0);
    assert.deepEqual(await statistics(), ['1/5', '1/5', '1/5']);

    assert.equal((await setEvent(event, 5)).status, 200);
    assert.equal((await candidate()).free.passed, 1);
    assert.equal((await get(`/assignments/${id}/open-actions`)).count, 0);
    assert.deepEqual(await statistics(), ['0/5', '0/5', '0/5']);
    assert.equal(await staffing.statusOf(id), 6);
    const other = await staffing.assignment(employee_id, elsewhere, 6);
    const actions = await get(`/assignments/${other}/open-actions`);
    assert.ok(!actions.actions.some(({ type }: { type: string }) => type === 'resolve_conflict'));
    // The times of what is history collide with nothing.
    const moved = await client.call('PUT', `/assignments/${id}/time`, { body: { start: '2026-06-12T17:00:00Z' } });
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await setEvent(event, 5)).status, 200);
    assert.equal((await client.call('PUT', `/events/${event}`, { body: { end: '2026-06-12T21:00:00Z' } })).status, 200);
  });

  it('an event comes back with those whose time is still free only, but for force', async () => {
    const employee_id = await staffing.employee();
    const event = await staffing.event(start, end);
    const id = await staffing.assignment(employee_id, await staffing.place(event), 6);
    assert.equal((await setEvent(event, 5)).status, 200);
    const other = await staffing.assignment(employee_id, await staffing.shift(start, end), 6);
    assertErrors(await setEvent(event, 2), 'double_booked status');
    assert.equal((await staffing.setStatus(other, 8)).status, 200);
    assert.equal((await setEvent(event, 2)).status, 200);
    assertErrors(await staffing.setStatus(other, 6), 'double_booked status');
    assert.equal((await setEvent(event, 5)).status, 200);
    assert.equal((await staffing.setStatus(other, 6)).status, 200);
    assert.equal((await setEvent(event, 2, '?force=true')).status, 200);
    const history = await get(`/assignments/${id}/history`);
    assert.ok(JSON.stringify(history).includes('double_booked'), JSON.stringify(history));
  });
});
