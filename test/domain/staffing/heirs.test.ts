import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Scene } from '../../support/scene.ts';
import { Payroll, shift } from '../work/scene.ts';

const old = '2020-01-01T00:00:00Z';

forAnyApp(client => {
  const payroll = new Payroll(client);
  const { staffing } = payroll;

  /** Returns which of the records a PUT marks as updated. */
  const touched = async (paths: readonly string[], path: string, body: object): Promise<boolean[]> => {
    await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
      await kysely.updateTable('events').set({ updated_at: old }).execute();
      await kysely.updateTable('assignments').set({ updated_at: old }).execute();
    });
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
    return Promise.all(paths.map(async each => (await client.call('GET', each)).body.updated_at !== old));
  };
  const assignment = async (place: object, own: object = {}, person: object = {}): Promise<number> =>
    payroll.post('assignments', {
      employee_id: await staffing.employee(person),
      event_function_id: await staffing.shift(...shift, place),
      status: 6,
      ...own,
    });
  const pathsOf = (ids: readonly number[]): string[] => ids.map(id => `/assignments/${id}`);

  describe('updated_at moves where a value is inherited, and only there', () => {
    it('from a project to its events and their assignments', async () => {
      const scene = new Scene(client);
      const client_id = await scene.idOf('clients');
      const contact_id = await payroll.post('contacts', { client_id, firstname: 'A', lastname: 'B' });
      const planner_id = await staffing.planner();
      const form = await scene.idOf('forms');
      const project_id = await payroll.post('projects', { name: 'Project' });
      const own = {
        client_id,
        contact_id,
        planner_id,
        configurations: { checkins: { enabled: 1 } },
        reporting_form_ids: [],
      };
      const other = await payroll.post('projects', { name: 'Other' });
      const events = [
        await staffing.event(...shift, { project_id }),
        await staffing.event(...shift, { project_id, ...own }),
        await staffing.event(...shift, { project_id: other }),
      ];
      const paths = events.map(id => `/events/${id}`);
      for (const event of events)
        paths.push(`/assignments/${await staffing.assignment(await staffing.employee(), await staffing.place(event))}`);
      const change = (body: object) => touched(paths, `/projects/${project_id}`, body);
      const heirs = [true, false, false, true, false, false];
      for (const body of [
        { client_id },
        { contact_id },
        { planner_id },
        { configurations: { checkins: { enabled: 1 } } },
      ])
        assert.deepEqual(await change(body), heirs, JSON.stringify(body));
      assert.deepEqual(
        await change({ client_id, planner_id, name: 'New' }),
        paths.map(() => false),
      );
      assert.deepEqual(await change({ reporting_form_ids: [form] }), [true, false, false, false, false, false]);
      // A section that an event does not set comes from its project, although the event shows only its own.
      assert.deepEqual(await change({ configurations: { checkins: { enabled: 1 }, livestamps: { enabled: 1 } } }), [
        true,
        false,
        false,
        true,
        true,
        false,
      ]);
      assert.deepEqual(
        await change({ configurations: { checkins: { enabled: 0 }, livestamps: { enabled: 1 } } }),
        heirs,
      );
    });

    it('from an event and an event function to their assignments', async () => {
      const [hall, park] = [
        await payroll.post('locations', { name: 'Hall' }),
        await payroll.post('locations', { name: 'Park' }),
      ];
      const event = await staffing.event(...shift);
      const places = [await staffing.place(event), await staffing.place(event, { location_id: hall })];
      const ids: number[] = [];
      for (const place of places) ids.push(await staffing.assignment(await staffing.employee(), place, 6));
      const paths = pathsOf(ids);
      assert.deepEqual(await touched(paths, `/events/${event}`, { location_id: park }), [true, false]);
      assert.deepEqual(await touched(paths, `/events/${event}`, { planner_id: await staffing.planner() }), [
        true,
        true,
      ]);
      assert.deepEqual(await touched(paths, `/events/${event}`, { configurations: { confirmation: { enabled: 0 } } }), [
        true,
        true,
      ]);
      assert.deepEqual(await touched(paths, `/events/${event}`, { name: 'New' }), [false, false]);
      assert.deepEqual(await touched(paths, `/event-functions/${places[1]}`, { location_id: null }), [false, true]);
      assert.deepEqual(await touched(paths, `/event-functions/${places[1]}`, { quantity: 9 }), [false, false]);
    });

    it('of the wage profile, from what comes first of event function, function, employee and default', async () => {
      const [profile, another] = [await payroll.profile(), await payroll.profile()];
      const function_id = await payroll.post('functions', { name: 'Service' });
      const employee = { wage_profile_id: profile };
      const ids = [
        await assignment({ function_id }, { wage_profile_id: profile }),
        await assignment({ function_id, wage_profile_id: profile }),
        await assignment({ function_id }, {}, employee),
        await assignment({ function_id }),
      ];
      const approved = await assignment({ function_id });
      await payroll.work(approved);
      const [{ id: standard }] = await payroll.list('/wage-profiles?is_default=1');
      assert.equal((await payroll.approve(approved, '?force=true')).status, 200);
      const paths = pathsOf([...ids, approved]);
      const records = await Promise.all(paths.map(async path => (await client.call('GET', path)).body));
      const change = (path: string, wage_profile_id: number | null) => touched(paths, path, { wage_profile_id });
      const [, second, third] = records;
      assert.deepEqual(
        await change(`/event-functions/${records[0].event_function_id}`, another),
        paths.map(() => false),
      );
      assert.deepEqual(await change(`/event-functions/${second.event_function_id}`, another), [
        false,
        true,
        false,
        false,
        false,
      ]);
      assert.deepEqual(await change(`/employees/${third.employee_id}`, another), [false, false, true, false, false]);
      assert.deepEqual(await touched(paths, `/wage-profiles/${standard}`, { is_default: 0 }), [
        false,
        false,
        false,
        true,
        false,
      ]);
      assert.deepEqual(await touched(paths, `/wage-profiles/${standard}`, { is_default: 1 }), [
        false,
        false,
        false,
        true,
        false,
      ]);
      assert.deepEqual(
        await touched(paths, `/wage-profiles/${standard}`, { name: 'New' }),
        paths.map(() => false),
      );
      // The employee of the third has given it the same.
      assert.deepEqual(await change(`/functions/${function_id}`, another), [false, false, false, true, false]);
      assert.deepEqual(
        await change(`/employees/${third.employee_id}`, null),
        paths.map(() => false),
      );
    });
  });
});
