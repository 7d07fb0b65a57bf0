import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { Staffing } from './scene.ts';

const shift = ['2027-03-01T08:00:00Z', '2027-03-01T16:00:00Z'] as const;

forEachApp((client, _, database) => {
  // The embedded database has one connection.
  if (database === 'embedded') return;
  const staffing = new Staffing(client);

  describe('an event and its project, written at the same time', () => {
    it('an event that is to take a value from its project waits for a change of that in progress', async () => {
      const project_id = await staffing.create('projects', { name: 'Project' });
      const event = await staffing.event(...shift, { project_id, planner_id: await staffing.planner() });
      const planner_id = await staffing.create('planners', { first_name: 'A', last_name: 'B' });
      // A change of the project that is not committed yet, after it has looked for its heirs: the event has a planner of its own.
      const written = Promise.withResolvers<void>();
      const rest = Promise.withResolvers<void>();
      const holding = client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
        await kysely.updateTable('projects').set({ planner_id }).where('id', '=', project_id).execute();
        written.resolve();
        await rest.promise;
      });
      await written.promise;
      let ended = false;
      const freed = client.call('PUT', `/events/${event}`, { body: { planner_id: null } }).finally(() => {
        ended = true;
      });
      for (let round = 0; round < 20; round++) await client.call('GET', `/projects/${project_id}`);
      assert.equal(ended, false, 'the event waits for its project');
      rest.resolve();
      await holding;
      assert.equal((await freed).body.planner_id, planner_id);
    });
  });
});
