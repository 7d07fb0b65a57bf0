import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertErrors, Staffing } from '../domain/staffing/scene.ts';
import { forEachApp } from '../support/for-each-app.ts';

const last = '9998-12-31T23:59:59Z';
const later = [
  '9999-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59-05:00',
  '9999-12-31',
  '1899-12-31T23:59:59Z',
];

forEachApp(client => {
  const staffing = new Staffing(client);

  describe('a date-time', () => {
    it('is at most the end of 9998 in UTC, and from 1900 on, wherever a body has one', async () => {
      const event = await staffing.event('9998-12-31T10:00:00Z', last);
      const assignment = await staffing.assignment(await staffing.employee(), await staffing.place(event), 1);
      for (const end of later) {
        assertErrors(await client.call('PUT', `/events/${event}`, { body: { end } }), 'out_of_range end');
        assertErrors(
          await client.call('PUT', `/assignments/${assignment}/time`, { body: { end } }),
          'out_of_range end',
        );
        assertErrors(
          await client.call('PUT', `/assignments/${assignment}/pay`, { body: { paid_on: end } }),
          'out_of_range paid_on',
        );
        const body = { employee_id: await staffing.employee(), start: '2026-06-12', end };
        assertErrors(await client.call('POST', '/busy-dates', { body }), 'out_of_range end');
      }
      assertErrors(await client.call('PUT', `/events/${event}`, { body: { end: 'later' } }), 'invalid_format end');
    });

    it('at the end of the range is as good as any other: assignments change their status, in bulk as well, and move', async () => {
      const event = await staffing.event('9998-12-31T10:00:00Z', last);
      const [place, other] = [await staffing.place(event), await staffing.place(event)];
      const id = await staffing.assignment(await staffing.employee(), place, 1);
      assert.equal((await staffing.setStatus(id, 6)).status, 200);
      const bulk = await client.call('PUT', '/assignments/status', { body: { assignment_ids: [id], status: 7 } });
      assert.equal(bulk.body.changed, 1, bulk.text);
      const moved = await client.call('PUT', `/assignments/${id}/move`, { body: { event_function_id: other } });
      assert.equal(moved.status, 200, moved.text);
    });

    it('that is stored beyond the range passes unchanged, and filters compare with it', async () => {
      const event = await staffing.event('2026-06-12T10:00:00Z', last);
      await client.database.asOwner(client.tenant.id, async ({ kysely }) => {
        await kysely.updateTable('events').set({ end: '9999-12-31T22:00:00Z' }).where('id', '=', event).execute();
      });
      const { body } = await client.call('GET', `/events/${event}`);
      const put = (body: object) => client.call('PUT', `/events/${event}`, { body });
      assert.equal((await put({ ...body, name: 'Another' })).status, 200);
      const cursor = (await client.call('GET', '/changes?after=now')).body.next;
      for (const end of ['9999-12-31T22:00:00.000Z', '9999-12-31T23:00:00+01:00', '9999-12-31 22:00:00z']) {
        const response = await put({ end });
        assert.deepEqual([response.status, response.body.end], [200, '9999-12-31T22:00:00Z'], response.text);
      }
      assert.deepEqual((await client.call('GET', `/changes?after=${cursor}`)).body.changes, []);
      assertErrors(await put({ end: '9999-12-31T22:00:01Z' }), 'out_of_range end');
      const assignment = await staffing.assignment(await staffing.employee(), await staffing.place(event), 1);
      const act = (action: string, body: object) =>
        client.call('PUT', `/assignments/${assignment}/${action}`, { body });
      assert.equal((await act('time', { end: '9999-12-31T23:00:00+01:00' })).status, 200);
      assertErrors(await act('time', { end: '9999-12-31T22:00:01Z' }), 'out_of_range end');
      const { body: found } = await client.call('GET', '/events?end=>9999-12-31T00:00:00Z&fields=id');
      assert.deepEqual(found, [{ id: event }]);
    });
  });

  it('a date is from 1900 to 9999', async () => {
    const id = await staffing.employee();
    const put = (birthday: string) => client.call('PUT', `/employees/${id}`, { body: { birthday } });
    for (const birthday of ['1900-01-01', '9999-12-31']) assert.equal((await put(birthday)).status, 200);
    assertErrors(await put('1899-12-31'), 'out_of_range birthday');
    assertErrors(await put('9999-02-30'), 'invalid_format birthday');
  });

  it('a date inside a list is from 1900 to 9999, and passes unchanged if it is stored beyond', async () => {
    const id = await staffing.create('availability-requests', { employee_id: await staffing.employee(), name: 'Days' });
    const slot = { id: 1, name: 'Night', category: 'night', week_days: [], from: '22:00', to: '06:00' };
    const put = (resource: string, list: string, dates: readonly string[], more: object = {}) =>
      client.call('PUT', `/${resource}/${id}`, {
        body: { [list]: dates.map(date => ({ date, time_slot_id: 1, ...more })) },
      });
    await staffing.create('availability-requests-definitions', { availability_request_id: id, time_slots: [slot] });
    for (const [resource, list, more] of [
      ['availability-requests-definitions', 'requested_availabilities', {}],
      ['availability-requests-availabilities', 'availabilities', { available: 1 }],
    ] as const) {
      assertErrors(await put(resource, list, ['1900-01-01', '1899-12-31'], more), `out_of_range ${list}.1.date`);
      assert.equal((await put(resource, list, ['1900-01-01', '9999-12-31'], more)).status, 200);
      await client.database.asOwner(client.tenant.id, async ({ kysely }) => {
        const items = JSON.stringify([{ date: '1850-01-01', time_slot_id: 1, ...more }]);
        const table = resource.replaceAll('-', '_') as 'availability_requests_definitions';
        await kysely
          .updateTable(table)
          .set({ [list]: items })
          .where('availability_request_id', '=', id)
          .execute();
      });
      assert.equal((await put(resource, list, ['1850-01-01', '1900-01-01'], more)).status, 200);
      if (list === 'requested_availabilities') await put(resource, list, []);
    }
  });
});
