import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { AvailabilityRequests, pair } from '../availability/scene.ts';
import { assertConflict, assertErrors, Staffing } from './scene.ts';

/** Has begun, so that assignments stay when their employee is forgotten. */
const past = ['2020-06-12T16:00:00Z', '2020-06-12T22:00:00Z'] as const;
const [INVITED, APPLIED, MAYBE, PROVISIONAL, ASSIGNED, CONFIRMED, DENIED] = [1, 3, 4, 5, 6, 7, 8];

forAnyApp(client => {
  const staffing = new Staffing(client);
  const put = (path: string, body: object) => client.call('PUT', path, { body });

  /** How an employee comes to take no new assignments, and the code that tells it. */
  const ends: readonly [name: string, end: (employee: number) => Promise<ApiResponse>, code: string][] = [
    ['inactive', id => put(`/employees/${id}`, { status: 5 }), 'reference_inactive'],
    ['deleted', id => put(`/employees/${id}`, { status: 6 }), 'reference_inactive'],
    ['forgotten', id => client.call('DELETE', `/employees/${id}?anonymize=true`), 'record_forgotten'],
  ];

  for (const [name, end, code] of ends) {
    const assertRejected = (response: ApiResponse): void =>
      code === 'record_forgotten' ? assertConflict(response, code) : assertErrors(response, `${code} employee_id`);

    /** An assignment in a status, whose employee then comes to an end. */
    const ended = async (status: number, event: object = {}): Promise<{ id: number; employee: number }> => {
      const employee = await staffing.employee();
      const place = await staffing.place(await staffing.event(...past, event));
      const id = await staffing.assignment(
        employee,
        place,
        status === MAYBE || status === CONFIRMED || status === DENIED || status === 2 ? INVITED : status,
      );
      if (status === CONFIRMED) await staffing.setStatus(id, ASSIGNED as number);
      assert.equal((await staffing.setStatus(id, status)).status, 200);
      const response = await end(employee);
      assert.ok(response.status < 300, response.text);
      return { id, employee };
    };

    describe(`an assignment of an employee who is ${name}`, () => {
      it('is not created, alone or with others, in spite of force', async () => {
        const { employee } = await ended(DENIED as number);
        const event_function_id = await staffing.shift(...past);
        for (const status of [INVITED, APPLIED, PROVISIONAL, ASSIGNED])
          for (const query of ['', '?force=true', '?dry_run=true'])
            assertRejected(
              await client.call('POST', `/assignments${query}`, {
                body: { employee_id: employee, event_function_id, status },
              }),
            );
        const many = { event_function_id, employee_ids: [employee, await staffing.employee()] };
        const { body } = await client.call('POST', '/assignments/bulk?dry_run=true', { body: many });
        assert.deepEqual(
          body.results.map(
            ({ error }: { error?: { code: string; field: string } }) => error && [error.code, error.field],
          ),
          [[code, 'employee_id'], undefined],
        );
      });

      for (const [from, tos] of [
        [INVITED, [APPLIED, MAYBE, PROVISIONAL, ASSIGNED]],
        [2, [APPLIED, MAYBE, PROVISIONAL, ASSIGNED]],
        [DENIED, [PROVISIONAL, ASSIGNED]],
        [APPLIED, [PROVISIONAL, ASSIGNED]],
        [MAYBE, [PROVISIONAL, ASSIGNED]],
      ] as [number, number[]][])
        it(`does not enter ${tos} from ${from}, by whatever door`, async () => {
          const { id } = await ended(from);
          const { body: map } = await client.call('GET', `/assignments/${id}/status-map`);
          for (const to of tos) {
            assert.equal(map.statuses.find(({ value }: { value: number }) => value === to).reason, code);
            for (const query of ['', '?force=true', '?dry_run=true']) {
              assertRejected(await staffing.setStatus(id, to, query));
              assertRejected(await put(`/assignments/${id}${query}`, { status: to }));
            }
            const bulk = { assignment_ids: [id], status: to };
            const { body } = await put('/assignments/status', bulk);
            assert.deepEqual([body.failed, body.results[0].error.code], [1, code]);
            assertErrors(await put('/assignments/status', { ...bulk, atomic: 1 }), `${code} employee_id`);
          }
          if (tos.includes(APPLIED as number))
            for (const maybe of [0, 1])
              assertRejected(await client.call('POST', `/assignments/${id}/apply`, { body: { maybe } }));
          assertRejected(await put(`/assignments/${id}/move`, { event_function_id: await staffing.shift(...past) }));
          assert.equal(await staffing.statusOf(id), from);
        });

      it('that is there stays, and changes between what it is and what it was', async () => {
        for (const [from, to] of [
          [PROVISIONAL, ASSIGNED],
          [ASSIGNED, CONFIRMED],
          [CONFIRMED, APPLIED],
          [APPLIED, MAYBE],
          [MAYBE, APPLIED],
          [ASSIGNED, INVITED],
          [INVITED, DENIED],
          [DENIED, INVITED],
        ] as [number, number][]) {
          const { id } = await ended(from);
          const response = await staffing.setStatus(id, to);
          assert.equal(response.status, 200, `${from} ${to} ${response.text}`);
        }
      });

      it('is not made automatically', async () => {
        const { id } = await ended(MAYBE as number, { auto_assign_enabled: 1 });
        const { body, text } = await client.call('POST', `/assignments/${id}/apply`, { body: {} });
        assert.deepEqual([body.status, body.auto_assigned], [APPLIED, 0], text);
      });
    });
  }

  it('last_active_at of a person who has been forgotten does not move', async () => {
    const employee = await staffing.employee();
    const id = await staffing.assignment(employee, await staffing.shift(...past), ASSIGNED);
    const unsure = await staffing.assignment(
      employee,
      await staffing.shift('2020-07-01T16:00:00Z', '2020-07-01T17:00:00Z'),
      INVITED,
    );
    await staffing.setStatus(unsure, MAYBE as number);
    await client.call('DELETE', `/employees/${employee}?anonymize=true`);
    const before = (await client.call('GET', `/employees/${employee}`)).body;
    const stamp = { assignment_id: id, type: 1, timestamp: past[0] };
    assert.equal((await client.call('POST', '/livestamps', { body: stamp })).status, 201);
    assert.equal((await client.call('POST', '/checkins', { body: { ...stamp, source: 2 } })).status, 201);
    assert.equal((await client.call('POST', `/assignments/${unsure}/apply`, { body: {} })).status, 200);
    assert.deepEqual((await client.call('GET', `/employees/${employee}`)).body, before);
  });

  it('last_active_at of a person who has been forgotten does not move with an answer about availability', async () => {
    const request = await new AvailabilityRequests(client).createDefined({ rules: [] });
    const { employee_id } = (await client.call('GET', `/availability-requests/${request}`)).body;
    await client.call('DELETE', `/employees/${employee_id}?anonymize=true`);
    const before = (await client.call('GET', `/employees/${employee_id}`)).body;
    const availabilities = [{ ...pair('2026-07-01', 1), available: 1 }];
    const response = await put(`/availability-requests-availabilities/${request}`, { availabilities });
    assert.equal(response.status, 200, response.text);
    assert.deepEqual((await client.call('GET', `/employees/${employee_id}`)).body, before);
  });
});
