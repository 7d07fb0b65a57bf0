import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';
import { errorsOf, Staffing } from './scene.ts';

const at = (time: string, day = 12) => `2026-06-${day}T${time}:00Z`;
const work = { start: at('18:00'), end: at('23:00') };
const pause = { break_start: at('20:00'), break_end: at('20:30') };

forAnyApp(client => {
  const staffing = new Staffing(client);
  const scene = new Scene(client);
  const put = (path: string, body: object) => client.call('PUT', path, { body });
  const eventOf = (changes: object) => staffing.event(work.start, work.end, changes);

  describe('the break of an event', () => {
    const late = { break_start: at('22:00'), break_end: at('00:30', 13) };
    const after = { break_start: at('23:30'), break_end: at('00:30', 13) };

    it('ends with the event at the latest, in a POST, a PUT and a change of the end', async () => {
      const body = { project_id: await scene.idOf('projects'), name: 'Event', ...work };
      const made = (times: object) => client.call('POST', '/events', { body: { ...body, ...times } });
      assert.deepEqual(errorsOf(await made(late)), [['out_of_range', 'break_end']]);
      assert.deepEqual(errorsOf(await made({ break_start: after.break_start })), [['out_of_range', 'break_start']]);
      const id = await eventOf(pause);
      assert.deepEqual(errorsOf(await put(`/events/${id}`, late)), [['out_of_range', 'break_end']]);
      assert.deepEqual(errorsOf(await put(`/events/${id}`, { end: at('20:15') })), [['out_of_range', 'break_end']]);
      assert.equal((await put(`/events/${id}`, { end: at('20:30') })).status, 200);
    });

    it('moves with it in one request', async () => {
      const id = await eventOf(pause);
      const earlier = { start: at('10:00'), end: at('15:00') };
      assert.deepEqual(errorsOf(await put(`/events/${id}`, earlier)), [
        ['out_of_range', 'break_start'],
        ['out_of_range', 'break_end'],
      ]);
      const moved = await put(`/events/${id}`, { ...earlier, break_start: at('12:00'), break_end: at('12:30') });
      assert.equal(moved.status, 200, moved.text);
    });
  });

  describe('the break of an event function', () => {
    const made = async (event_id: number, times: object) =>
      client.call('POST', '/event-functions', {
        body: { event_id, function_id: await scene.idOf('functions'), quantity: 1, ...times },
      });

    it('of its own lies within its work, whosever times that has, created and changed alike', async () => {
      const event = await eventOf(pause);
      for (const [times, errors] of [
        [{ break_start: at('03:00'), break_end: at('03:30') }, ['end_before_start break_start']],
        [{ break_end: at('23:30') }, ['out_of_range break_end']],
        [{ break_start: at('20:45') }, ['end_before_start break_end']],
        [{ end: at('22:00'), break_start: at('21:45'), break_end: at('22:15') }, ['out_of_range break_end']],
        [{ break_start: at('22:30'), break_end: at('23:00') }, []],
      ] as const) {
        const found = async (response: Awaited<ReturnType<typeof made>>) =>
          response.status < 300 ? [] : errorsOf(response).map(error => error.join(' '));
        assert.deepEqual(await found(await made(event, times)), errors, JSON.stringify(times));
        const id = await staffing.place(event);
        assert.deepEqual(await found(await put(`/event-functions/${id}`, times)), errors, JSON.stringify(times));
      }
    });

    it('of its own must lie within the times of the event that it moves to, and those that it gets back', async () => {
      const outside = [
        ['out_of_range', 'break_start'],
        ['out_of_range', 'break_end'],
      ];
      const late = { end: at('04:00', 13), break_start: at('23:30'), break_end: at('00:30', 13) };
      const id = await staffing.place(await eventOf({}), late);
      assert.deepEqual(errorsOf(await put(`/event-functions/${id}`, { end: null })), outside);
      const place = await staffing.place(await eventOf({}), pause);
      const event_id = await staffing.event(at('10:00'), at('15:00'));
      assert.deepEqual(errorsOf(await put(`/event-functions/${place}`, { event_id })), outside);
    });

    it('that the event has does not bind it: work before or after that break has none', async () => {
      const event = await eventOf(pause);
      for (const times of [{ start: at('21:00') }, { end: at('19:00') }, { start: at('10:00'), end: at('14:00') }]) {
        const response = await made(event, times);
        assert.equal(response.status, 201, response.text);
        const changed = await put(`/event-functions/${await staffing.place(event)}`, times);
        assert.equal(changed.status, 200, changed.text);
        const { body } = await client.call('GET', `/event-functions/${response.body.id}`);
        const id = await staffing.assignment(await staffing.employee(), body.id);
        const own = await put(`/assignments/${id}/time`, { start: body.start });
        assert.equal(own.status, 200, own.text);
      }
    });
  });
});
