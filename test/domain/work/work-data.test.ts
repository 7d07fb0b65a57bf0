import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { operations, violations } from '../../support/operations.ts';
import { errorsOf, Staffing } from '../staffing/scene.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forEachApp((client, app) => {
  const staffing = new Staffing(client);

  const make = async (resource: string, body: object): Promise<number> => {
    const answer = await client.call('POST', `/${resource}`, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  /** The answer, which is as documented. */
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await client.call(method, path, body ? { body } : {});
    const pattern = path.replace(/\?.*/, '').replaceAll(/\/\d+/g, '/{id}');
    const operation = operations.find(candidate => candidate.method === method && candidate.path === pattern);
    assert.ok(operation, pattern);
    assert.deepEqual(violations(operation, answer.status, answer.body), [], answer.text);
    return answer;
  };

  describe('configurations', () => {
    it("are the event's over its project's over the defaults, setting by setting", async () => {
      const project_id = await make('projects', {
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
      const { body } = await ask('GET', `/assignments/${id}/configurations`);
      assert.deepEqual(body, {
        assignment_id: id,
        event_id: event,
        confirmation: { enabled: 0 },
        livestamps: { enabled: 0 },
        checkins: { enabled: 1, required_types: [1], minutes_before: 15, minutes_after: 5 },
        work_time_proposals: { enabled: 0, mandatory: 0 },
        wage_proposals: { enabled: 0 },
        reporting_forms: { enabled: 1, mandatory: 0 },
        signed_work_data: { enabled: 0, methods: ['signature', 'pin'] },
        team_leader: { enabled: 0 },
      });
      assert.deepEqual((await client.call('GET', `/assignments/${id}`)).body.configurations, body);
      const { body: field } = await client.call('GET', `/assignments?id=${id}&fields=configurations`);
      assert.deepEqual(field, [{ configurations: body }]);
      await client.call('PUT', `/projects/${project_id}`, { body: { configurations: null } });
      const merged = (await ask('GET', `/assignments/${id}/configurations`)).body;
      assert.deepEqual(merged.confirmation, { enabled: 1 });
      assert.deepEqual(merged.checkins, { enabled: 0, required_types: [1], minutes_before: 60, minutes_after: 5 });
    });

    it('of a set are those of each that exists, by id, each once', async () => {
      const place = await staffing.shift(start, end);
      const ids = [
        await staffing.assignment(await staffing.employee(), place),
        await staffing.assignment(await staffing.employee(), place),
      ];
      const { body } = await ask('GET', `/assignments/configurations?id=${ids[1]},${ids[0]},${ids[1]},999999999`);
      assert.deepEqual(
        body.map(({ assignment_id }: Record<string, number>) => assignment_id),
        ids,
      );
      for (const query of ['', '?id=', '?id=1,x']) {
        const answer = await client.call('GET', `/assignments/configurations${query}`);
        assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_parameter'], query);
      }
    });

    it('that are malformed are refused on events and projects', async () => {
      const project = await make('projects', { name: 'P' });
      const wrong: readonly (readonly [configurations: unknown, code: string, field: string])[] = [
        [{ confirmtion: { enabled: 1 } }, 'unknown_field', '.confirmtion'],
        [{ confirmation: { enabled: 2 } }, 'not_in_enumeration', '.confirmation.enabled'],
        [{ confirmation: null }, 'invalid_type', '.confirmation'],
        [{ checkins: { required_types: [9] } }, 'not_in_enumeration', '.checkins.required_types.0'],
        [{ checkins: { required_types: 1 } }, 'invalid_type', '.checkins.required_types'],
        [{ checkins: { minutes_before: -1 } }, 'out_of_range', '.checkins.minutes_before'],
        [{ signed_work_data: { methods: ['stamp'] } }, 'not_in_enumeration', '.signed_work_data.methods.0'],
        [{ livestamps: { enabled: 1, often: 1 } }, 'unknown_field', '.livestamps.often'],
        [[], 'invalid_type', ''],
        ['on', 'invalid_type', ''],
      ];
      for (const [configurations, code, field] of wrong) {
        const told = [[code, `configurations${field}`]];
        const answer = await client.call('PUT', `/projects/${project}`, { body: { configurations } });
        assert.deepEqual(errorsOf(answer), told);
        const event = { project_id: project, name: 'E', start, end, configurations };
        assert.deepEqual(errorsOf(await client.call('POST', '/events', { body: event })), told);
      }
      const body = { configurations: { confirmation: { enabled: false } } };
      const { configurations } = (await client.call('PUT', `/projects/${project}`, { body })).body;
      assert.deepEqual(configurations, { confirmation: { enabled: 0 } });
    });
  });

  describe('reporting forms', () => {
    it("are the event's or else its project's, with their attributes and the last report", async () => {
      const forms = [await make('forms', { name: 'One' }), await make('forms', { name: 'Two' })];
      const [one = 0, two = 0] = forms;
      const question = await make('attributes', { entity_id: one, name: 'How was it?', type: 'text' });
      const project_id = await make('projects', {
        name: 'P',
        reporting_form_ids: [two, one, 999_999_999],
        configurations: { reporting_forms: { enabled: 1, mandatory: 1 } },
      });
      const plain = await staffing.event(start, end, { project_id });
      const own = await staffing.event(start, end, { project_id, reporting_form_ids: [one] });
      const place = await staffing.place(plain);
      const id = await staffing.assignment(await staffing.employee(), place);
      const colleague = await staffing.assignment(await staffing.employee(), place);
      const other = await staffing.assignment(await staffing.employee(), await staffing.place(own));
      const attributes = (await client.call('GET', `/forms/${one}/attributes`)).body;
      assert.equal(attributes.length, 1);
      const shared = { mandatory: 1, submitted_at: null };
      const ofProject = { source: 'project', source_id: project_id, ...shared };
      const first = (await ask('GET', `/assignments/${id}/reporting-forms`)).body;
      assert.deepEqual(first, [
        { form_id: two, name: 'Two', ...ofProject, assignment_ids: [id], attributes: [] },
        { form_id: one, name: 'One', ...ofProject, assignment_ids: [id], attributes },
      ]);
      const report = await client.call('POST', '/assignment-employment-reports', {
        body: { assignment_id: id, data: [{ attribute_id: question, value: 'Well' }] },
      });
      const submitted_at = report.body.created_at;
      const told = (await ask('GET', `/assignments/${id}/reporting-forms`)).body;
      assert.deepEqual(
        told.map((form: Record<string, unknown>) => form.submitted_at),
        [null, submitted_at],
      );
      const set = (await ask('GET', `/assignments/reporting-forms?id=${other},${colleague},${id},999999999`)).body;
      assert.deepEqual(set, [
        { form_id: one, name: 'One', source: 'event', source_id: own, ...shared, assignment_ids: [other], attributes },
        { form_id: two, name: 'Two', ...ofProject, assignment_ids: [id, colleague], attributes: [] },
        { form_id: one, name: 'One', ...ofProject, assignment_ids: [id, colleague], attributes },
      ]);
      await make('assignment-employment-reports', { assignment_id: colleague });
      const all = (await ask('GET', `/assignments/reporting-forms?id=${colleague},${id}`)).body;
      assert.deepEqual(
        all.map((form: Record<string, unknown>) => form.submitted_at === null),
        [true, false],
      );
      const { text } = await client.call('GET', `/assignments/${id}/reporting-forms.xml`);
      assert.match(text, /<reporting_forms>\s*<item>[\s\S]*<name>Two<\/name>[\s\S]*<attributes>\s*<item>/);
    });

    it('are none where nothing names any, and need the module', async () => {
      const project_id = await make('projects', { name: 'P' });
      const event = await staffing.event(start, end, { project_id });
      const id = await staffing.assignment(await staffing.employee(), await staffing.place(event));
      assert.deepEqual((await ask('GET', `/assignments/${id}/reporting-forms`)).body, []);
      const without = await app.newClient({ modules: new Set(['checkins']) });
      for (const path of ['/assignments/1/reporting-forms', '/assignments/reporting-forms?id=1'])
        assert.equal((await without.call('GET', path)).body.code, 'module_disabled', path);
    });
  });

  describe('statistics', () => {
    it('tell the places taken of assignments, events and event functions, from the same query', async () => {
      const event = await staffing.event(start, end);
      const place = await staffing.place(event, { quantity: 4 });
      const id = await staffing.assignment(await staffing.employee(), place, 5);
      await staffing.assignment(await staffing.employee(), place, 6);
      await staffing.assignment(await staffing.employee(), place, 3);
      await staffing.place(event, { quantity: 3 });
      const statistics = async (path: string) =>
        (await client.call('GET', `${path}?fields=statistics`)).body.statistics;
      assert.equal(await statistics(`/assignments/${id}`), '2/4');
      assert.equal(await statistics(`/event-functions/${place}`), '2/4');
      assert.equal(await statistics(`/events/${event}`), '2/7');
    });

    it('of an assignment are the text that was written, until it is null', async () => {
      const id = await staffing.assignment(await staffing.employee(), await staffing.shift(start, end), 6);
      const put = async (statistics: string | null) =>
        (await client.call('PUT', `/assignments/${id}`, { body: { statistics } })).body.statistics;
      assert.equal(await put('nearly full'), 'nearly full');
      assert.equal((await client.call('GET', '/assignments?statistics=nearly%20full')).body.length, 1);
      assert.equal(await put(null), '1/5');
    });
  });

  describe('a team sheet', () => {
    it("has every function of the event with those who hold its places, and each one's last check-in", async () => {
      const event = await staffing.event(start, end, { configurations: { checkins: { enabled: 1 } } });
      const [first, second] = [
        await staffing.place(event),
        await staffing.place(event, { start: '2026-06-12T17:00:00Z' }),
      ];
      const [here, absent] = [await staffing.employee({ lastname: 'B' }), await staffing.employee({ lastname: 'C' })];
      const id = await staffing.assignment(here, first, 6);
      await staffing.assignment(absent, first, 5);
      await staffing.assignment(await staffing.employee(), first, 1);
      for (const [type, timestamp] of [
        [1, start],
        [2, '2026-06-12T18:00:00Z'],
      ] as const)
        await make('checkins', { assignment_id: id, type, source: 2, timestamp });
      const { body } = await ask('GET', `/assignments/${id}/teamsheet`);
      assert.deepEqual([body.assignment_id, body.event_id, body['event.start']], [id, event, start]);
      assert.deepEqual(
        body.functions.map((entry: Record<string, unknown>) => [
          entry.event_function_id,
          entry.quantity,
          entry.assigned,
        ]),
        [
          [first, 5, 2],
          [second, 5, 0],
        ],
      );
      const members = body.functions[0].members.map((member: Record<string, unknown>) => [
        member.employee_id,
        member.last_checkin_type,
        member.last_checkin_at,
      ]);
      assert.deepEqual(members, [
        [here, 2, '2026-06-12T18:00:00Z'],
        [absent, null, null],
      ]);
    });
  });
});
