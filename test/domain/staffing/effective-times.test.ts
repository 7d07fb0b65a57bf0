import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { Staffing } from './scene.ts';

const event = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forEachApp(client => {
  const staffing = new Staffing(client);

  const put = async (path: string, body: object) => {
    const answer = await client.call('PUT', path, { body });
    assert.equal(answer.status, 200, answer.text);
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
});
