import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rebuildConflicts } from '../../../src/domain/conflicts/rebuild.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { addTired, conflictsOf, countryOf, evening, morning, parts, tenantWith } from './scene.ts';

/** The names of the broken rules, and the types of other conflicts. */
const brokenIn = async (client: Client): Promise<readonly string[]> =>
  (await conflictsOf(client, '&embed=rule'))
    .map(({ type, rule }) => (type === 'work_rule' ? String((rule as { name: string }).name) : String(type)))
    .sort();

forAnyApp((_, app) => {
  describe('conflicts follow', () => {
    it('each record that they depend on, without judging everybody', async () => {
      const { client, staffing } = await tenantWith(app, null);
      const create: typeof staffing.create = (...given) => staffing.create(...given);
      const country = await countryOf(client);
      const [client_id, other_client] = [
        await create('clients', { company: 'C' }),
        await create('clients', { company: 'D' }),
      ];
      const [location, profile, kind] = [
        await create('locations', { name: 'L' }),
        await create('wage-profiles', { name: 'P' }),
        await create('functions', { name: 'F' }),
      ];
      const skill = await staffing.qualification();
      const [standard] = (await client.call('GET', '/wage-profiles?is_default=1')).body;
      const scopes = {
        client: { client_ids: [client_id] },
        country: { country_ids: [country] },
        function: { function_ids: [kind] },
        location: { location_ids: [location] },
        minor: { age_below: 18 },
        profile: { wage_profile_ids: [profile] },
        skill: { qualification_ids: [skill] },
      };
      const body = { kind: 'rest', parameters: { minutes: 660 } };
      for (const [name, applies_to] of Object.entries(scopes))
        await create('work-rules', { ...body, name, applies_to });
      const { employee, one, other, place } = await addTired(staffing, { birthday: '1990-01-01' });
      const { body: at } = await client.call('GET', `/event-functions/${place}?embed=event`);
      const [event, project, function_id] = [at.event_id, at.event.project_id, at.function_id];
      await client.call('PUT', `/events/${event}`, { body: { client_id: null } });
      await client.call('PUT', `/functions/${function_id}`, { body: { wage_profile_id: null } });
      // The other work is of no rule's client, whatever becomes of the project.
      const { event_function_id } = (await client.call('GET', `/assignments/${one}`)).body;
      const earlier = (await client.call('GET', `/event-functions/${event_function_id}`)).body.event_id;
      await client.call('PUT', `/events/${earlier}`, { body: { client_id: other_client } });
      const put = async (path: string, values: object) => {
        const response = await client.call('PUT', path, { body: values });
        assert.equal(response.status, 200, `${path} ${response.text}`);
      };
      const remove = async (path: string) => assert.equal((await client.call('DELETE', path)).status, 204, path);
      const ids: Record<string, number> = {};
      const [p, e, f, w, o] = [
        `/projects/${project}`,
        `/events/${event}`,
        `/event-functions/${place}`,
        `/employees/${employee}`,
        `/assignments/${other}`,
      ];
      const steps: readonly (readonly [name: string, write: () => Promise<unknown>, broken: readonly string[]])[] = [
        ['nothing', async () => {}, []],
        ['a project', () => put(p, { client_id, contact_id: null }), ['client']],
        ['the client of an event', () => put(e, { client_id: other_client }), []],
        ['the location of an event', () => put(e, { location_id: location }), ['location']],
        ['a location', () => put(`/locations/${location}`, { country }), ['country', 'location']],
        ['a place elsewhere', () => put(`/locations/${location}`, { country: null }), ['location']],
        ['no location', () => put(e, { location_id: null }), []],
        ['the location of a function', () => put(f, { location_id: location }), ['location']],
        ['the function', () => put(f, { location_id: null, function_id: kind }), ['function']],
        [
          'the profile of a function',
          () => put(`/functions/${kind}`, { wage_profile_id: profile }),
          ['function', 'profile'],
        ],
        ['another function', () => put(f, { function_id }), []],
        ['the profile of an event function', () => put(f, { wage_profile_id: profile }), ['profile']],
        ['no profile', () => put(f, { wage_profile_id: null }), []],
        ['the profile of an employee', () => put(w, { wage_profile_id: profile }), ['profile']],
        ['no profile again', () => put(w, { wage_profile_id: null }), []],
        ['no default profile', () => put(`/wage-profiles/${standard.id}`, { is_default: 0 }), []],
        ['a default profile', () => put(`/wage-profiles/${profile}`, { is_default: 1 }), ['profile']],
        ['no default profile again', () => put(`/wage-profiles/${profile}`, { is_default: 0 }), []],
        ['a qualification', () => put(w, { qualifications: [skill] }), ['skill']],
        ['none', () => put(w, { qualifications: [] }), []],
        ['a birthday', () => put(w, { birthday: '2020-01-01' }), ['minor']],
        ['another birthday', () => put(w, { birthday: '1990-01-01' }), []],
        ['required qualifications', () => put(f, { required_qualifications: [skill] }), ['not_qualified']],
        ['none required', () => put(f, { required_qualifications: [] }), []],
        ['times of an event', () => put(`${e}?force=true`, { start: evening[0] }), ['double_booked']],
        ['times as before', () => put(e, { start: morning[0] }), []],
        ['times of an event function', () => put(`${f}?force=true`, { start: evening[0] }), ['double_booked']],
        ['no times', () => put(f, { start: null }), []],
        [
          'times of an assignment',
          () => put(`${o}/time?force=true`, { start: evening[0], end: morning[1] }),
          ['double_booked'],
        ],
        ['an aborted event', () => put(e, { status: 5 }), []],
        ['not aborted', () => put(`${e}?force=true`, { status: 2 }), ['double_booked']],
        ['a denied assignment', () => put(`${o}/status`, { status: 8 }), []],
        ['booked', () => put(`${o}/status?force=true`, { status: 6 }), ['double_booked']],
        ['a removed assignment', () => remove(`/assignments/${one}`), []],
        [
          'a rule for everybody',
          async () =>
            (ids.rule = await create('work-rules', {
              ...body,
              kind: 'hours_per_day',
              name: 'all',
              parameters: { minutes: 60 },
            })),
          ['all'],
        ],
        ['a rule that is off', () => put(`/work-rules/${ids.rule}`, { mode: 'off' }), []],
        ['a rule that is on', () => put(`/work-rules/${ids.rule}`, { mode: 'refuse' }), ['all']],
        ['a removed rule', () => remove(`/work-rules/${ids.rule}`), []],
        [
          'a busy date',
          async () =>
            (ids.busy = await create('busy-dates', { employee_id: employee, start: evening[0], end: morning[1] })),
          ['absent'],
        ],
        ['a removed busy date', () => remove(`/busy-dates/${ids.busy}`), []],
      ];
      const db = client.database.forTenant(client.tenant);
      for (const [name, write, broken] of steps) {
        await write();
        assert.deepEqual(await brokenIn(client), broken, name);
        assert.equal(await rebuildConflicts(db), 0, name);
      }
    });

    it('no change of a field that they do not depend on, nor records that are nobody’s yet', async () => {
      const { client, staffing, rule } = await tenantWith(app, {});
      const { employee, other, place } = await addTired(staffing);
      const [standard] = (await client.call('GET', '/wage-profiles?is_default=1')).body;
      await client.call('PUT', `/wage-profiles/${standard.id}`, { body: { is_default: 0 } });
      assert.deepEqual(await brokenIn(client), ['Rest']);
      const db = client.database.forTenant(client.tenant);
      // Nobody is judged as long as nothing mends it.
      await db.transaction(({ kysely }) => kysely.updateTable('conflicts').set({ actual: 1 }).execute());
      for (const [path, body] of [
        [`/assignments/${other}`, { external_id: 'other' }],
        [`/employees/${employee}`, { firstname: 'Ada' }],
        [`/event-functions/${place}`, { quantity: 9 }],
        [`/work-rules/${rule}`, { name: 'Rest still' }],
      ] as const)
        assert.equal((await client.call('PUT', path, { body })).status, 200, path);
      await staffing.create('wage-profiles', { name: 'New' });
      await staffing.create('locations', { name: 'New' });
      assert.deepEqual(parts(await conflictsOf(client), 'actual'), [[1]]);
      await staffing.create('wage-profiles', { name: 'For all', is_default: 1 });
      assert.deepEqual(parts(await conflictsOf(client), 'actual'), [[600]]);
    });
  });
});
