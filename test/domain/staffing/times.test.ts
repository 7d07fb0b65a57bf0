import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf, Staffing } from './scene.ts';

// The tenants of the tests are in Europe/Berlin: two hours before UTC in summer, one in winter.
forAnyApp(client => {
  const staffing = new Staffing(client);

  /** Whether an employee who is assigned to the first span can be assigned to the second, whichever comes first. */
  const fit = async (first: readonly [string, string], second: readonly [string, string]): Promise<boolean> => {
    const responses: boolean[] = [];
    for (const spans of [
      [first, second],
      [second, first],
    ] as const) {
      const employee = await staffing.employee();
      await staffing.assignment(employee, await staffing.shift(...spans[0]), 6);
      const id = await staffing.assignment(employee, await staffing.shift(...spans[1]), 5);
      const response = await staffing.setStatus(id, 6);
      if (response.status !== 200) assertErrors(response, 'double_booked status');
      responses.push(response.status === 200);
    }
    assert.equal(responses[0], responses[1]);
    return responses[0] === true;
  };

  describe('two shifts', () => {
    it('fit if one ends when the other starts, and not if they share a second', async () => {
      const first = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
      assert.equal(await fit(first, ['2026-06-12T22:00:00Z', '2026-06-13T02:00:00Z']), true);
      assert.equal(await fit(first, ['2026-06-12T21:59:59Z', '2026-06-13T02:00:00Z']), false);
      assert.equal(await fit(first, ['2026-06-12T23:00:00+01:00', '2026-06-13T02:00:00Z']), true);
    });

    it('clash inside one another and when they are the same', async () => {
      const night = ['2026-06-12 22:00:00', '2026-06-13 06:00:00'] as const;
      assert.equal(await fit(night, night), false);
      assert.equal(await fit(night, ['2026-06-13 01:00:00', '2026-06-13 02:00:00']), false);
    });

    it('clash over midnight: a night shift takes the morning of the next day', async () => {
      const night = ['2026-06-12 22:00:00', '2026-06-13 06:00:00'] as const;
      assert.equal(await fit(night, ['2026-06-13 05:00:00', '2026-06-13 13:00:00']), false);
      assert.equal(await fit(night, ['2026-06-13 06:00:00', '2026-06-13 14:00:00']), true);
      assert.equal(await fit(night, ['2026-06-12 14:00:00', '2026-06-12 22:00:00']), true);
      assert.equal(await fit(night, ['2026-06-13 22:00:00', '2026-06-14 06:00:00']), true);
    });

    it('in the night that loses an hour are as long as they are in fact', async () => {
      // Four hours on the clock, three in fact: 23:00 to 02:00 UTC.
      const night = ['2026-03-29 00:00:00', '2026-03-29 04:00:00'] as const;
      assert.equal(await fit(night, ['2026-03-29T02:00:00Z', '2026-03-29T06:00:00Z']), true);
      assert.equal(await fit(night, ['2026-03-29T01:59:59Z', '2026-03-29T06:00:00Z']), false);
      // Half past two never was: it is taken for an hour later.
      assert.equal(
        await fit(['2026-03-28T23:00:00Z', '2026-03-29T01:30:00Z'], ['2026-03-29 02:30:00', '2026-03-29 05:00:00']),
        true,
      );
    });

    it('in the night that has an hour twice fit into it one after the other', async () => {
      const [once, again] = [
        ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'],
        ['2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00'],
      ] as const;
      assert.equal(await fit(once, again), true);
      // A clock that shows 02:30 is read as the first time.
      assert.equal(await fit(again, ['2026-10-25 01:00:00', '2026-10-25 02:30:00']), true);
      assert.equal(await fit(once, ['2026-10-25 01:00:00', '2026-10-25 02:30:00']), false);
    });
  });

  it('of three shifts of which two clash, the two cannot both be had, the third can', async () => {
    const employee = await staffing.employee();
    const spans = [
      ['16', '20'],
      ['19', '22'],
      ['22', '23'],
    ].map(([from, to]) => [`2026-06-12T${from}:00:00Z`, `2026-06-12T${to}:00:00Z`] as const);
    const ids: number[] = [];
    for (const span of spans) ids.push(await staffing.assignment(employee, await staffing.shift(...span)));
    const [first, second, third] = ids as [number, number, number];
    assert.equal((await staffing.setStatus(first, 6)).status, 200);
    const refused = await staffing.setStatus(second, 6);
    assertErrors(refused, 'double_booked status');
    assert.deepEqual(
      refused.body.errors[0].conflicts.map(({ assignment_id }: { assignment_id: number }) => assignment_id),
      [first],
    );
    assert.equal((await staffing.setStatus(third, 6)).status, 200);
    assert.equal((await staffing.setStatus(first, 8)).status, 200);
    assert.equal((await staffing.setStatus(second, 6)).status, 200);
  });

  describe('an open end', () => {
    it('of an event function is that of its event, also after the event has moved', async () => {
      const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
      const place = await staffing.place(event, { start: '2026-06-12T18:00:00Z', end: null });
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, place, 6);
      const at = async (start: string) =>
        staffing.assignment(employee, await staffing.shift(start, '2026-06-13T04:00:00Z'), 5);
      const [touching, inside] = [await at('2026-06-12T22:00:00Z'), await at('2026-06-12T21:00:00Z')];
      assertErrors(await staffing.setStatus(inside, 6), 'double_booked status');
      assert.equal((await staffing.setStatus(touching, 6)).status, 200);
      const body = { end: '2026-06-12T22:00:01Z' };
      assertErrors(await client.call('PUT', `/events/${event}`, { body }), 'double_booked start');
      assert.equal((await client.call('GET', `/assignments/${id}`)).body.end, '2026-06-12T22:00:00Z');
    });

    it('of an assignment is that of its event function, or else of its event', async () => {
      const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
      const place = await staffing.place(event, { start: null, end: '2026-06-12T21:00:00Z' });
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, place, 6);
      const next = await staffing.assignment(
        employee,
        await staffing.shift('2026-06-12T21:30:00Z', '2026-06-13T04:00:00Z'),
        6,
      );
      const put = (path: string, body: object) => client.call('PUT', path, { body });
      assert.equal(
        (await put(`/assignments/${id}/time`, { start: '2026-06-12T17:00:00Z', end: null })).body.end,
        '2026-06-12T21:00:00Z',
      );
      const opened = await put(`/event-functions/${place}`, { end: null });
      assertErrors(opened, 'double_booked start');
      assert.equal(opened.body.errors[0].conflicts[0].assignment_id, next);
      assert.equal((await put(`/event-functions/${place}?force=true`, { end: null })).body.end, '2026-06-12T22:00:00Z');
      const { body } = await client.call('GET', `/assignments/${id}/history`);
      assert.deepEqual(body.at(-1).overridden, ['double_booked']);
    });

    it('never comes before the start, whichever of them moves', async () => {
      const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z');
      const refused = [['end_before_start', 'end']];
      const function_id = (await client.call('GET', '/functions?limit=1')).body[0]?.id ?? 0;
      const made = await client.call('POST', '/event-functions', {
        body: { event_id: event, function_id, quantity: 1, start: '2026-06-12T23:00:00Z' },
      });
      assert.deepEqual(errorsOf(made), refused);
      const place = await staffing.place(event, { start: '2026-06-12T21:00:00Z' });
      const put = (path: string, body: object) => client.call('PUT', path, { body });
      assert.deepEqual(errorsOf(await put(`/events/${event}`, { end: '2026-06-12T20:00:00Z' })), refused);
      assert.deepEqual(errorsOf(await put(`/event-functions/${place}`, { start: '2026-06-12T23:00:00Z' })), refused);
      assert.equal((await put(`/event-functions/${place}`, { start: null })).status, 200);
      const id = await staffing.assignment(await staffing.employee(), place);
      assert.deepEqual(errorsOf(await put(`/assignments/${id}/time`, { start: '2026-06-12T23:00:00Z' })), refused);
      assert.equal((await put(`/assignments/${id}/time`, { start: '2026-06-12T21:00:00Z' })).status, 200);
      const moved = await put(`/events/${event}`, { end: '2026-06-12T20:00:00Z' });
      assert.deepEqual(errorsOf(moved), refused);
      assert.equal(moved.body.errors[0].assignment_id, id);
    });
  });
});
