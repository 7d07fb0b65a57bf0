import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { holdTable } from '../../support/held-table.ts';
import { assertErrors, Staffing } from '../staffing/scene.ts';

const shift = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

it('a move waits for work that is about to be recorded, of whatever kind, and is rejected', async () => {
  const url = await migratedUrl();
  const database = openDatabase({ ...inMemory, url });
  const app = await startApp(database);
  const client = await app.newClient();
  const staffing = new Staffing(client);
  const wage_profile_id = await staffing.create('wage-profiles', {
    name: 'Terms',
    wage_types: [{ id: 3, name: 'Meal', value: 12, unit: 'piece' }],
  });
  const [start, end] = shift;
  const kinds: readonly [table: string, path: string, field: string, body: object][] = [
    ['work_times', 'work-times', 'event_function_employee_id', { start, end }],
    ['work_time_proposals', 'work-time-proposals', 'assignment_id', { start, end }],
    ['wage_proposals', 'wage-proposals', 'assignment_id', { wage_type_id: 3, value: 2 }],
    ['assignment_wages', 'assignment-wages', 'assignment_id', { base_value: 10 }],
    ['checkins', 'checkins', 'assignment_id', { type: 1, source: 2, timestamp: start }],
    ['livestamps', 'livestamps', 'assignment_id', { type: 1, timestamp: start }],
    ['assignment_employment_reports', 'assignment-employment-reports', 'assignment_id', {}],
  ];
  for (const [table, resource, field, body] of kinds)
    for (const isWhole of [false, true]) {
      const place = await staffing.shift(...shift, { wage_profile_id });
      // A report can be about an employee who is not booked, too.
      const status = resource === 'assignment-employment-reports' ? 1 : 6;
      const id = await staffing.assignment(await staffing.employee(), place, status);
      const [event_id, to] = [await staffing.event(...shift), await staffing.shift(...shift)];
      await using held = await holdTable(table, url);
      const recorded = client.call('POST', `/${resource}`, { body: { [field]: id, ...body } });
      await held.waiting(1);
      let ended = false;
      const moved = (
        isWhole
          ? client.call('PUT', `/event-functions/${place}`, { body: { event_id } })
          : client.call('PUT', `/assignments/${id}/move`, { body: { event_function_id: to } })
      ).finally(() => {
        ended = true;
      });
      await held.waiting(2, () => ended);
      await held.release();
      const response = await recorded;
      assert.equal(response.status, 201, response.text);
      assertErrors(await moved, `work_recorded ${isWhole ? 'event_id' : 'event_function_id'}`);
    }
  await app.close();
  await database.close();
});
