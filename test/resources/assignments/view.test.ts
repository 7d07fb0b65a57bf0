import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forEachApp } from '../../support/for-each-app.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forEachApp(client => {
  const staffing = new Staffing(client);

  describe('statistics', () => {
    it('tell the places taken of assignments, events and event functions, from the same query', async () => {
      const event = await staffing.event(start, end);
      const place = await staffing.place(event, { quantity: 4 });
      const id = await staffing.assignment(await staffing.employee(), place, 5);
      await staffing.assignment(await staffing.employee(), place, 6);
      await staffing.assignment(await staffing.employee(), place, 3);
      await staffing.place(event, { quantity: 3 });
      const statistics = async (path: string) =>
        (await client.call('GET', `${path}?fields=statistics`)).body.statistics;
      assert.equal(await statistics(`/assignments/${id}`), '2/4');
      assert.equal(await statistics(`/event-functions/${place}`), '2/4');
      assert.equal(await statistics(`/events/${event}`), '2/7');
    });

    it('of an assignment are the text that was written, until it is null', async () => {
      const id = await staffing.newAssignment(start, end, 6);
      const put = async (statistics: string | null) =>
        (await client.call('PUT', `/assignments/${id}`, { body: { statistics } })).body.statistics;
      assert.equal(await put('nearly full'), 'nearly full');
      assert.equal((await client.call('GET', '/assignments?statistics=nearly%20full')).body.length, 1);
      assert.equal(await put(null), '1/5');
    });
  });
});
