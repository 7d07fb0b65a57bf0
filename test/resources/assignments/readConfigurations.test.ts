import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { getDocumented } from './scene.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forAnyApp(client => {
  const staffing = new Staffing(client);

  describe('configurations', () => {
    it("are the event's over its project's over the defaults, setting by setting", async () => {
      const project_id = await staffing.create('projects', {
        name: 'P',
        configurations: {
          confirmation: { enabled: 0 },
          checkins: { enabled: 1, minutes_before: 15 },
          reporting_forms: { enabled: 1, mandatory: 1 },
        },
      });
      const configurations = { checkins: { minutes_after: 5, required_types: [1] }, reporting_forms: { mandatory: 0 } };
      const event = await staffing.event(start, end, { project_id, configurations });
      const id = await staffing.assignment(await staffing.employee(), await staffing.place(event));
      const { body } = await getDocumented(client, `/assignments/${id}/configurations`);
      assert.deepEqual(body, {
        assignment_id: id,
        event_id: event,
        confirmation: { enabled: 0 },
        livestamps: { enabled: 0 },
        checkins: { enabled: 1, required_types: [1], minutes_before: 15, minutes_after: 5 },
        work_time_proposals: { enabled: 0, mandatory: 0, from_checkins: 0, round_minutes: 1 },
        wage_proposals: { enabled: 0 },
        reporting_forms: { enabled: 1, mandatory: 0 },
        signed_work_data: { enabled: 0, methods: ['signature', 'pin'] },
        team_leader: { enabled: 0 },
      });
      assert.deepEqual((await client.call('GET', `/assignments/${id}`)).body.configurations, body);
      const { body: field } = await client.call('GET', `/assignments?id=${id}&fields=configurations`);
      assert.deepEqual(field, [{ configurations: body }]);
      await client.call('PUT', `/projects/${project_id}`, { body: { configurations: null } });
      const merged = (await getDocumented(client, `/assignments/${id}/configurations`)).body;
      assert.deepEqual(merged.confirmation, { enabled: 1 });
      assert.deepEqual(merged.checkins, { enabled: 0, required_types: [1], minutes_before: 60, minutes_after: 5 });
    });

    it('are written in one way, whether an event or its project has any or not', async () => {
      const place = async (configurations: object | null) =>
        staffing.place(await staffing.event(start, end, { configurations }));
      const employee = await staffing.employee();
      const texts = await Promise.all(
        [await place(null), await place({})].map(async target => {
          const id = await staffing.assignment(employee, target, 1);
          const { body, text } = await client.call('GET', `/assignments/${id}/configurations`);
          return text.replaceAll(`_id": ${id}`, '_id": 1').replaceAll(`_id": ${body.event_id}`, '_id": 2');
        }),
      );
      assert.equal(texts[0], texts[1]);
      assert.match(texts[0] ?? '', /"minutes_after": 120/);
    });

    it('of a set are those of each that exists, by id, each once', async () => {
      const place = await staffing.shift(start, end);
      const ids = [
        await staffing.assignment(await staffing.employee(), place),
        await staffing.assignment(await staffing.employee(), place),
      ];
      const { body } = await getDocumented(
        client,
        `/assignments/configurations?id=${ids[1]},${ids[0]},${ids[1]},999999999`,
      );
      assert.deepEqual(
        body.map(({ assignment_id }: Record<string, number>) => assignment_id),
        ids,
      );
      for (const query of ['', '?id=', '?id=1,x']) {
        const response = await client.call('GET', `/assignments/configurations${query}`);
        assert.deepEqual([response.status, response.body.code], [400, 'invalid_parameter'], query);
      }
    });

    it('that are malformed are refused on events and projects', async () => {
      const project = await staffing.create('projects', { name: 'P' });
      const wrong: readonly (readonly [configurations: unknown, code: string, field: string])[] = [
        [{ confirmtion: { enabled: 1 } }, 'unknown_field', '.confirmtion'],
        [{ confirmation: { enabled: 2 } }, 'not_in_enumeration', '.confirmation.enabled'],
        [{ confirmation: null }, 'invalid_type', '.confirmation'],
        [{ checkins: { required_types: [9] } }, 'not_in_enumeration', '.checkins.required_types.0'],
        [{ checkins: { required_types: 1 } }, 'invalid_type', '.checkins.required_types'],
        [{ checkins: { minutes_before: -1 } }, 'out_of_range', '.checkins.minutes_before'],
        [{ work_time_proposals: { round_minutes: 0 } }, 'out_of_range', '.work_time_proposals.round_minutes'],
        [{ work_time_proposals: { round_minutes: 61 } }, 'out_of_range', '.work_time_proposals.round_minutes'],
        [{ work_time_proposals: { round_minutes: 1.5 } }, 'invalid_type', '.work_time_proposals.round_minutes'],
        [{ work_time_proposals: { from_checkins: 2 } }, 'not_in_enumeration', '.work_time_proposals.from_checkins'],
        [{ signed_work_data: { methods: ['stamp'] } }, 'not_in_enumeration', '.signed_work_data.methods.0'],
        [{ livestamps: { enabled: 1, often: 1 } }, 'unknown_field', '.livestamps.often'],
        [[], 'invalid_type', ''],
        ['on', 'invalid_type', ''],
      ];
      for (const [configurations, code, field] of wrong) {
        const told = [[code, `configurations${field}`]];
        const response = await client.call('PUT', `/projects/${project}`, { body: { configurations } });
        assert.deepEqual(errorsOf(response), told);
        const event = { project_id: project, name: 'E', start, end, configurations };
        assert.deepEqual(errorsOf(await client.call('POST', '/events', { body: event })), told);
      }
      const body = { configurations: { confirmation: { enabled: false } } };
      const { configurations } = (await client.call('PUT', `/projects/${project}`, { body })).body;
      assert.deepEqual(configurations, { confirmation: { enabled: 0 } });
    });
  });
});
