import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';

const shift = ['2027-03-01T08:00:00Z', '2027-03-01T16:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

  /** Returns the fields that a PUT changes of each record, as the entries name them: without those that every change sets. */
  const changed = async (path: string, body: object): Promise<Record<string, string[]>> => {
    const { body: before } = await client.call('GET', '/changes?after=now');
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
    const { body: later } = await client.call('GET', `/changes?after=${before.next}`);
    const entries = later.changes as { resource: string; id: number; fields: string[] }[];
    return Object.fromEntries(
      entries.map(({ resource, id, fields }) => [
        `${resource}/${id}`,
        fields.filter(name => name !== 'updated_at').toSorted(),
      ]),
    );
  };

  describe('the entry of a record names the values that it shows of others', () => {
    it('times of an event, in its functions and assignments without their own', async () => {
      const event = await staffing.event(...shift);
      const [heir, own] = [await staffing.place(event), await staffing.place(event, { end: '2027-03-01T15:00:00Z' })];
      const assignments = [
        await staffing.assignment(await staffing.employee(), heir),
        await staffing.assignment(await staffing.employee(), own),
      ];
      const timed = await staffing.assignment(await staffing.employee(), heir);
      assert.deepEqual(await changed(`/assignments/${timed}/time`, { start: '2027-03-01T10:00:00Z' }), {
        [`assignments/${timed}`]: ['start'],
      });
      assert.deepEqual(await changed(`/events/${event}`, { end: '2027-03-01T17:00:00Z' }), {
        [`events/${event}`]: ['end'],
        [`event-functions/${heir}`]: ['end'],
        [`assignments/${assignments[0]}`]: ['end'],
        [`assignments/${timed}`]: ['end'],
      });
      assert.deepEqual(
        await changed(`/events/${event}`, {
          start: '2027-03-01T09:00:00Z',
          break_start: '2027-03-01T12:00:00Z',
          break_end: '2027-03-01T13:00:00Z',
        }),
        {
          [`events/${event}`]: ['break_end', 'break_start', 'start'],
          [`event-functions/${heir}`]: ['break_end', 'break_start', 'start'],
          [`event-functions/${own}`]: ['break_end', 'break_start', 'start'],
          [`assignments/${assignments[0]}`]: ['break_end', 'break_start', 'start'],
          [`assignments/${assignments[1]}`]: ['break_end', 'break_start', 'start'],
          [`assignments/${timed}`]: ['break_end', 'break_start'],
        },
      );
      assert.deepEqual(await changed(`/event-functions/${heir}`, { start: '2027-03-01T08:30:00Z' }), {
        [`event-functions/${heir}`]: ['start'],
        [`assignments/${assignments[0]}`]: ['start'],
      });
    });

    it('times of another event, in a function that is moved to it', async () => {
      const [from, to] = [await staffing.event(...shift), await staffing.event(shift[0], '2027-03-01T18:00:00Z')];
      const place = await staffing.place(from, { start: shift[0] });
      const assignment = await staffing.assignment(await staffing.employee(), place);
      const entries = await changed(`/event-functions/${place}`, { event_id: to });
      assert.deepEqual(entries[`event-functions/${place}`], ['end', 'event_id']);
      assert.ok(entries[`assignments/${assignment}`]?.includes('end'));
      assert.ok(!entries[`assignments/${assignment}`]?.includes('start'));
    });

    it('what projects give their events, and the wage profile that an assignment is paid by', async () => {
      const scene = new Scene(client);
      const project_id = await staffing.create('projects', { name: 'Project' });
      const planner_id = await staffing.planner();
      const event = await staffing.event(...shift, { project_id });
      const place = await staffing.place(event);
      const assignment = await staffing.assignment(await staffing.employee(), place);
      const entries = await changed(`/projects/${project_id}`, { planner_id });
      assert.deepEqual(entries[`events/${event}`], ['planner_id']);
      // It shows the planner of its event, which is derived: only `updated_at` can differ.
      assert.deepEqual(entries[`assignments/${assignment}`] ?? [], []);
      const client_id = await scene.idOf('clients');
      const other_project = await staffing.create('projects', { name: 'Other', planner_id, client_id });
      const adopted = await changed(`/events/${event}`, { project_id: other_project });
      assert.deepEqual(adopted[`events/${event}`], ['client_id', 'project_id']);
      const wage_profile_id = await scene.idOf('wage-profiles');
      assert.deepEqual(await changed(`/event-functions/${place}`, { wage_profile_id }), {
        [`event-functions/${place}`]: ['wage_profile_id'],
        [`assignments/${assignment}`]: ['wage_profile_id'],
      });
      const other = await staffing.place(event);
      const moved = await changed(`/assignments/${assignment}/move`, { event_function_id: other });
      assert.ok(moved[`assignments/${assignment}`]?.includes('wage_profile_id'));
      assert.ok(moved[`assignments/${assignment}`]?.includes('event_function_id'));
    });
  });
});
