import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AvailabilityRequests } from '../../domain/availability/scene.ts';
import { errorsOf, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const span = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  it('candidates are ranked by the checks that they pass, with the reasons of those that they do not', async () => {
    const place = await staffing.shift(...span, { required_qualifications: [await staffing.qualification()] });
    const [best, unqualified, tired, busy] = [
      await staffing.employee({ qualifications: [await staffing.qualification()] }),
      await staffing.employee(),
      await staffing.employee({ qualifications: [await staffing.qualification()] }),
      await staffing.employee({ qualifications: [await staffing.qualification()] }),
    ];
    await staffing.assignment(tired, await staffing.shift('2036-06-13T06:00:00Z', '2036-06-13T08:00:00Z'), 6);
    await staffing.assignment(busy, await staffing.shift(...span), 6);
    const { body } = await client.call('GET', `/event-functions/${place}/candidates`);
    assert.deepEqual(
      body.map(({ employee_id, score }: Record<string, number>) => [employee_id, score]),
      [
        [best, 4],
        [unqualified, 3],
        [tired, 3],
        [busy, 3],
      ],
    );
    assert.deepEqual(body[2].rested, { passed: 0, reason: 'rest_time' });
    assert.deepEqual(body[3].free, { passed: 0, reason: 'double_booked' });
  });

  it('candidates who have said that they can come first, those who have said that they cannot are told so', async () => {
    // From 22:00 to 06:00 in the time zone of the tenant.
    const place = await staffing.shift('2036-06-14T20:00:00Z', '2036-06-15T04:00:00Z');
    const slot = (id: number, from: string, to: string) => ({
      id,
      name: 'Slot',
      category: null,
      week_days: [],
      from,
      to,
    });
    const time_slots = [slot(1, '18:00', '23:00'), slot(2, '23:00', '05:00'), slot(3, '06:00', '14:00')];
    const ask = async (responses: [date: string, slot: number, available: number][]): Promise<number> => {
      const employee_id = await staffing.employee();
      const post = async (path: string, body: object) => {
        const response = await client.call('POST', path, { body });
        assert.equal(response.status, 201, response.text);
        return response.body.id;
      };
      const availability_request_id = await post('/availability-requests', {
        employee_id,
        name: 'June',
        from: '2036-06-01',
        to: '2036-06-30',
      });
      await post('/availability-requests-definitions', { availability_request_id, time_slots });
      const availabilities = responses.map(([date, time_slot_id, available]) => ({ date, time_slot_id, available }));
      await post('/availability-requests-availabilities', { availability_request_id, availabilities });
      return employee_id;
    };
    const silent = await staffing.employee();
    const absent = await staffing.employee();
    await client.call('POST', '/busy-dates', {
      body: { employee_id: absent, start: '2036-06-15T03:00:00Z', end: '2036-06-16T00:00:00Z' },
    });
    const elsewhere = await ask([
      ['2036-06-15', 3, 1],
      ['2036-06-13', 2, 0],
    ]);
    const willing = await ask([
      ['2036-06-14', 1, 1],
      ['2036-06-14', 2, 1],
      ['2036-06-15', 3, 0],
    ]);
    const partly = await ask([
      ['2036-06-14', 1, 1],
      ['2036-06-14', 2, 0],
    ]);
    const { body } = await client.call('GET', `/event-functions/${place}/candidates`);
    const of = (id: number) => body.find(({ employee_id }: { employee_id: number }) => employee_id === id);
    assert.equal(body[0].employee_id, willing);
    assert.deepEqual(
      [willing, silent, elsewhere, partly, absent].map(id => [
        of(id).score,
        of(id).availability,
        of(id).available.reason,
      ]),
      [
        [4, 'available', null],
        [4, 'not_answered', null],
        [4, 'not_answered', null],
        [3, 'unavailable', 'unavailable'],
        [3, 'not_answered', 'absent'],
      ],
    );
    // What was said keeps no one from being assigned.
    await staffing.assignment(partly, place, 6);
  });

  it('candidates and assigned_by_availability know when a time slot is at a change of clocks', async () => {
    const requests = new AvailabilityRequests(client);
    // From the first 2:30 to the second; from the change, where 2:30 is skipped, for half an hour.
    const twice = ['2036-10-26T00:30:00Z', '2036-10-26T01:30:00Z'] as const;
    const skipped = ['2036-03-30T01:00:00Z', '2036-03-30T01:30:00Z'] as const;
    const cases = [
      [twice, '02:30', '06:00', '2036-10-26', 1],
      [twice, '22:00', '02:30', '2036-10-25', 0],
      [skipped, '02:30', '06:00', '2036-03-30', 1],
      [skipped, '22:00', '02:30', '2036-03-29', 0],
    ] as const;
    for (const [times, from, to, date, covered] of cases) {
      const time_slots = [{ id: 1, name: 'Slot', category: null, week_days: [], from, to }];
      const defined = { rules: [], requested_availabilities: [], time_slots };
      const id = await requests.createDefined(defined, { from: '2036-01-01', to: '2036-12-31' });
      const body = { availabilities: [{ date, time_slot_id: 1, available: 1 }] };
      assert.equal((await client.call('PUT', `/availability-requests-availabilities/${id}`, { body })).status, 200);
      const { employee_id } = (await client.call('GET', `/availability-requests/${id}`)).body;
      const place = await staffing.shift(times[0], times[1]);
      const path = `/event-functions/${place}/candidates?employee_id=${employee_id}`;
      const { availability } = (await client.call('GET', path)).body[0];
      const made = await client.call('POST', '/assignments', {
        body: { employee_id, event_function_id: place, status: 6 },
      });
      assert.deepEqual(
        [availability, made.body.assigned_by_availability],
        [covered ? 'available' : 'not_answered', covered],
        `${from} to ${to} on ${date}`,
      );
    }
  });

  it('candidates and assigned_by_availability have the same time slots, whatever the database knows of the time zone', async () => {
    // In 2026 the clocks of Alberta have stopped to change, which not every Postgres knows.
    const timeZone = 'America/Edmonton';
    const own = await app.newClient({ timeZone });
    const [requests, people] = [new AvailabilityRequests(own), new Staffing(own)];
    const [before, start, end] = ['2027-01-15T15:30:00Z', '2027-01-15T16:30:00Z', '2027-01-15T17:30:00Z'] as const;
    const local = (time: string) => new Date(time).toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' });
    for (const [from, to, covered] of [
      [start, end, 1],
      [before, start, 0],
    ] as const) {
      const time_slots = [{ id: 1, name: 'Slot', category: null, week_days: [], from: local(from), to: local(to) }];
      const defined = { rules: [], requested_availabilities: [], time_slots };
      const id = await requests.createDefined(defined, { from: '2027-01-01', to: '2027-12-31' });
      const availabilities = [{ date: '2027-01-15', time_slot_id: 1, available: 1 }];
      const path = `/availability-requests-availabilities/${id}`;
      assert.equal((await own.call('PUT', path, { body: { availabilities } })).status, 200);
      const { employee_id } = (await own.call('GET', `/availability-requests/${id}`)).body;
      const place = await people.shift(start, end);
      const listed = await own.call('GET', `/event-functions/${place}/candidates?employee_id=${employee_id}`);
      const body = { employee_id, event_function_id: place, status: 6 };
      const made = await own.call('POST', '/assignments', { body });
      assert.deepEqual(
        [listed.body[0].availability, made.body.assigned_by_availability],
        [covered ? 'available' : 'not_answered', covered],
      );
    }
  });

  it('candidates do not include who is there already, nor who is not active', async () => {
    const place = await staffing.shift(...span);
    const [there, inactive, free] = [
      await staffing.employee(),
      await staffing.employee({ status: 5 }),
      await staffing.employee(),
    ];
    await staffing.assignment(there, place);
    const { body } = await client.call('GET', `/event-functions/${place}/candidates`);
    const ids = body.map(({ employee_id }: { employee_id: number }) => employee_id);
    assert.deepEqual(
      [there, inactive, free].map(id => ids.includes(id)),
      [false, false, true],
    );
  });

  it('what a candidate’s checks tell is what an assignment then fails with', async () => {
    const place = await staffing.shift(...span, { required_qualifications: [await staffing.qualification()] });
    const employee = await staffing.employee();
    await staffing.assignment(employee, await staffing.shift('2036-06-12T21:00:00Z', '2036-06-12T23:00:00Z'), 6);
    await client.call('POST', '/busy-dates', { body: { employee_id: employee, start: span[0], end: span[1] } });
    const { body } = await client.call('GET', `/event-functions/${place}/candidates`);
    const { free, available, qualified } = body.find(
      ({ employee_id }: { employee_id: number }) => employee_id === employee,
    );
    const response = await client.call('POST', '/assignments', {
      body: { employee_id: employee, event_function_id: place, status: 6 },
    });
    assert.deepEqual(
      errorsOf(response).map(([code]) => code),
      [free, available, qualified].map(({ reason }) => reason),
    );
  });
});
