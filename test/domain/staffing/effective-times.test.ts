import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Staffing } from './scene.ts';

const event = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

  const put = async (path: string, body: object) => {
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
  };
  const spanOf = async (id: number) => {
    const { body } = await client.call('GET', `/assignments/${id}?fields=start,end`);
    return [body.start, body.end];
  };

  it("an assignment takes place at its own time, or else its function's, or else its event's, and moves with them", async () => {
    const eventId = await staffing.event(...event);
    const place = await staffing.place(eventId, { start: null, end: null });
    const id = await staffing.assignment(await staffing.employee(), place);
    assert.deepEqual(await spanOf(id), event);
    await put(`/events/${eventId}`, { end: '2026-06-12T23:00:00Z' });
    assert.deepEqual(await spanOf(id), [event[0], '2026-06-12T23:00:00Z']);
    await put(`/event-functions/${place}`, { start: '2026-06-12T17:00:00Z' });
    assert.deepEqual(await spanOf(id), ['2026-06-12T17:00:00Z', '2026-06-12T23:00:00Z']);
    await put(`/assignments/${id}/time`, { end: '2026-06-12T21:00:00Z' });
    await put(`/events/${eventId}`, { start: '2026-06-12T15:00:00Z', end: '2026-06-13T01:00:00Z' });
    assert.deepEqual(await spanOf(id), ['2026-06-12T17:00:00Z', '2026-06-12T21:00:00Z']);
    await put(`/assignments/${id}/time`, { end: null });
    await put(`/event-functions/${place}`, { start: null });
    assert.deepEqual(await spanOf(id), ['2026-06-12T15:00:00Z', '2026-06-13T01:00:00Z']);
  });

  it('an assignment moves to the times of the event that its function moves to', async () => {
    const place = await staffing.place(await staffing.event(...event), { start: null, end: null });
    const id = await staffing.assignment(await staffing.employee(), place);
    const other = ['2026-07-01T10:00:00Z', '2026-07-01T18:00:00Z'] as const;
    await put(`/event-functions/${place}`, { event_id: await staffing.event(...other) });
    assert.deepEqual(await spanOf(id), other);
  });

  it('an approved assignment keeps its time, and follows again when the approval is taken back', async () => {
    const eventId = await staffing.event(...event);
    const place = await staffing.place(eventId, { start: null, end: null });
    const id = await staffing.assignment(await staffing.employee(), place, 6);
    await put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: await staffing.planner() });
    const later = ['2026-06-12T18:00:00Z', '2026-06-12T23:00:00Z'] as const;
    await put(`/events/${eventId}`, { start: later[0], end: later[1] });
    assert.deepEqual(await spanOf(id), event);
    await put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: null });
    assert.deepEqual(await spanOf(id), later);
  });

  it('changes of an event and of its functions at the same time are all seen', async () => {
    const eventId = await staffing.event(...event);
    const places = await Promise.all([1, 2, 3, 4].map(() => staffing.place(eventId, { start: null, end: null })));
    const ids = await Promise.all(places.map(async place => staffing.assignment(await staffing.employee(), place)));
    for (let minute = 10; minute < 15; minute++) {
      const [early, start, end] = ['15', '17', '22'].map(hour => `2026-06-12T${hour}:${minute}:00Z`);
      await Promise.all([
        put(`/events/${eventId}`, { start: early, end }),
        ...places.slice(1).map(place => put(`/event-functions/${place}`, { start })),
      ]);
      const spans = await Promise.all(ids.map(spanOf));
      assert.deepEqual(spans, [[early, end], ...places.slice(1).map(() => [start, end])]);
      await Promise.all(places.map(place => put(`/event-functions/${place}`, { start: null })));
    }
  });

  it('what a move changes is marked as updated, in the functions and assignments that inherit it and in no others', async () => {
    const eventId = await staffing.event(...event, {
      break_start: '2026-06-12T18:00:00Z',
      break_end: '2026-06-12T18:30:00Z',
    });
    const [inheriting, own] = [
      await staffing.place(eventId),
      await staffing.place(eventId, {
        start: event[0],
        end: event[1],
        break_start: '2026-06-12T19:00:00Z',
        break_end: '2026-06-12T19:30:00Z',
      }),
    ];
    const approved = await staffing.assignment(await staffing.employee(), inheriting, 6);
    await put(`/assignments/${approved}/approve?force=true`, { approved_by_planner_id: await staffing.planner() });
    const paths = [
      `/event-functions/${inheriting}`,
      `/assignments/${await staffing.assignment(await staffing.employee(), inheriting)}`,
      `/assignments/${approved}`,
      `/event-functions/${own}`,
      `/assignments/${await staffing.assignment(await staffing.employee(), own)}`,
    ];
    const old = '2020-01-01T00:00:00Z';
    const touchedBy = async (path: string, body: object): Promise<boolean[]> => {
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.updateTable('event_functions').set({ updated_at: old }).execute();
        await kysely.updateTable('assignments').set({ updated_at: old }).execute();
      });
      await put(path, body);
      return Promise.all(paths.map(async each => (await client.call('GET', each)).body.updated_at !== old));
    };
    assert.deepEqual(await touchedBy(`/events/${eventId}`, { end: '2026-06-12T23:00:00Z' }), [
      true,
      true,
      false,
      false,
      false,
    ]);
    assert.deepEqual(await touchedBy(`/events/${eventId}`, { break_end: '2026-06-12T18:45:00Z' }), [
      true,
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(await touchedBy(`/events/${eventId}`, { description: 'New' }), [
      false,
      false,
      false,
      false,
      false,
    ]);
    assert.deepEqual(await touchedBy(`/event-functions/${own}`, { start: '2026-06-12T17:00:00Z' }), [
      false,
      false,
      false,
      true,
      true,
    ]);
    assert.deepEqual(await touchedBy(`/event-functions/${own}`, { break_start: '2026-06-12T19:10:00Z' }), [
      false,
      false,
      false,
      true,
      true,
    ]);
    assert.deepEqual(await touchedBy(`/event-functions/${own}`, { quantity: 7 }), [false, false, false, true, false]);
  });
});
