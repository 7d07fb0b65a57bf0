import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { AvailabilityRequests, pair } from '../availability/scene.ts';
import { Site } from '../work/site.ts';
import { Staffing } from './scene.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

  describe('last_active_at', () => {
    const old = '2020-01-01T00:00:00Z';

    /** Returns whether a successful request moves it, and with it the time of the last change. */
    const moves = async (employee: number, request: () => Promise<ApiResponse>): Promise<boolean> => {
      await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely
          .updateTable('employees')
          .set({ last_active_at: old, updated_at: old })
          .where('id', '=', employee)
          .execute();
      });
      const { status, text } = await request();
      assert.ok(status < 300, text);
      const { body } = await client.call('GET', `/employees/${employee}`);
      assert.equal(body.last_active_at === old, body.updated_at === old);
      return body.last_active_at !== old && Math.abs(Date.now() - Date.parse(body.last_active_at)) < 600_000;
    };

    it('moves with what the employee does: applications, check-ins, livestamps, answers and signed work', async () => {
      const site = await new Site(client).prepare();
      const event = await site.event({ configurations: { signed_work_data: { enabled: 1, methods: ['signature'] } } });
      const id = await site.assignment(event, 1);
      const employee = (await client.call('GET', `/assignments/${id}`)).body.employee_id;
      const send = (method: string, path: string, body: object) => () => client.call(method, path, { body });
      assert.equal(await moves(employee, send('POST', `/assignments/${id}/apply`, {})), true);
      await staffing.setStatus(id, 6);
      const stamp = { assignment_id: id, type: 1, timestamp: span[0] };
      assert.equal(await moves(employee, send('POST', '/checkins', { ...stamp, source: 2 })), true);
      assert.equal(await moves(employee, send('POST', '/checkins', { ...stamp, source: 2 })), false, 'a repeated one');
      assert.equal(await moves(employee, send('POST', '/livestamps', stamp)), true);
      const work_times = [{ start: span[0], end: span[1] }];
      assert.equal(await moves(employee, () => site.sign([{ assignment_id: id, work_times }])), true);
      const request = await new AvailabilityRequests(client).createDefined({ rules: [] });
      const asked = (await client.call('GET', `/availability-requests/${request}`)).body.employee_id;
      const given = { availabilities: [{ ...pair('2026-07-01', 1), available: 1 }] };
      const path = `/availability-requests-availabilities/${request}`;
      assert.equal(await moves(asked, send('PUT', path, given)), true);
    });

    it('moves with an application, however it is entered, and not with an invitation', async () => {
      const event_function_id = await staffing.shift(...span);
      for (const [status, expected] of [
        [3, true],
        [1, false],
      ] as const) {
        const [one, many] = [await staffing.employee(), await staffing.employee()];
        const body = { event_function_id, status };
        const single = () => client.call('POST', '/assignments', { body: { ...body, employee_id: one } });
        assert.equal(await moves(one, single), expected);
        const bulk = () => client.call('POST', '/assignments/bulk', { body: { ...body, employee_ids: [many] } });
        assert.equal(await moves(many, bulk), expected);
      }
    });

    it('does not move with what a planner does', async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await staffing.shift(...span));
      assert.equal(await moves(employee, () => staffing.setStatus(id, 6)), false);
      assert.equal(
        await moves(employee, () => client.call('PUT', `/assignments/${id}`, { body: { remarks: 'x' } })),
        false,
      );
    });
  });
});
