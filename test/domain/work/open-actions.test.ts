import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { day, instant, moveTo, timeOf } from '../../resources/sandbox/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { operationOf, violations } from '../../support/operations.ts';
import { Staffing } from '../staffing/scene.ts';

const evening = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const [start, end] = evening;

interface Action {
  readonly type: string;
  readonly due: string;
  readonly mandatory: number;
  readonly href: string;
}

forAnyApp((client, app) => {
  const staffing = new Staffing(client);
  let project_id: number;

  before(async () => {
    project_id = await staffing.create('projects', { name: 'Without configurations' });
  });

  /** An assignment of a new employee at a new event of these configurations, in which nothing is to be confirmed. */
  const assigned = async (configurations: object = {}, status = 6, changes: object = {}): Promise<number> => {
    const all = { confirmation: { enabled: 0 }, ...configurations };
    const event = await staffing.event(...evening, { project_id, configurations: all, ...changes });
    return staffing.assignment(await staffing.employee(), await staffing.place(event), status);
  };
  /** The event function of a new event. */
  const shift = async (from: string, to: string): Promise<number> =>
    staffing.place(await staffing.event(from, to, { project_id }));
  const actionsOf = async (id: number): Promise<readonly Action[]> =>
    (await client.call('GET', `/assignments/${id}/open-actions`)).body.actions;
  const typesOf = async (id: number): Promise<readonly string[]> => (await actionsOf(id)).map(({ type }) => type);
  const put = async (path: string, body: object): Promise<void> => {
    const response = await client.call('PUT', path, { body });
    assert.equal(response.status, 200, response.text);
  };
  const approve = async (id: number, planner: number | null): Promise<void> =>
    put(`/assignments/${id}/approve?force=true`, { approved_by_planner_id: planner });

  describe('an open action', () => {
    it('confirm is there while an assigned one is not confirmed, unless confirmation is off', async () => {
      const id = await assigned({ confirmation: {} });
      const confirm = { type: 'confirm', due: start, mandatory: 1, href: `/api/v1/assignments/${id}/status` };
      assert.deepEqual(await actionsOf(id), [confirm]);
      await staffing.setStatus(id, 7);
      assert.deepEqual(await actionsOf(id), []);
      assert.deepEqual(await typesOf(await assigned()), []);
      assert.deepEqual(await typesOf(await assigned({ confirmation: { enabled: 1 } }, 5)), []);
    });

    it('does not depend on the time', async () => {
      const sandbox = await app.newClient({ sandbox: true });
      const scene = new Staffing(sandbox);
      const from = (await timeOf(sandbox)) + day;
      const event = await scene.event(instant(from), instant(from + day / 4));
      const id = await scene.assignment(await scene.employee(), await scene.place(event), 6);
      const read = async () => (await sandbox.call('GET', `/assignments/${id}/open-actions`)).body;
      const actions = await read();
      assert.ok(actions.count > 0);
      for (const moment of [from + 1000, from + 40 * day]) {
        assert.equal((await moveTo(sandbox, moment)).status, 200);
        assert.deepEqual(await read(), actions);
      }
    });

    it('resolve_conflict is there for both of two assignments that hold a place at one time, until one lets go', async () => {
      const employee = await staffing.employee();
      const provisional = await staffing.assignment(employee, await shift(...evening), 5);
      const place = await shift(end, '2026-06-13T02:00:00Z');
      const touching = await staffing.assignment(employee, place, 6);
      assert.deepEqual(await typesOf(provisional), []);
      const other = await staffing.assignment(employee, await shift('2026-06-12T15:00:00Z', '2026-06-12T17:00:00Z'), 6);
      assert.deepEqual(await typesOf(provisional), ['resolve_conflict']);
      assert.deepEqual(await typesOf(other), ['confirm', 'resolve_conflict']);
      assert.deepEqual(await typesOf(touching), ['confirm']);
      await put(`/event-functions/${place}`, { start: '2026-06-12T21:59:59Z' });
      assert.deepEqual(await typesOf(touching), ['confirm', 'resolve_conflict']);
      await staffing.setStatus(provisional, 8);
      for (const id of [other, touching]) assert.deepEqual(await typesOf(id), ['confirm']);
      assert.deepEqual(await typesOf(provisional), []);
    });

    it('resolve_conflict is there for an absence that overlaps, and goes with it', async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await shift(...evening), 5);
      const invited = await staffing.assignment(employee, await shift(...evening), 1);
      await staffing.create('busy-dates', { employee_id: employee, start: end, end: '2026-06-14T00:00:00Z' });
      assert.deepEqual(await typesOf(id), []);
      const absence = await staffing.create('busy-dates', {
        employee_id: employee,
        start: '2026-06-12T21:00:00Z',
        end,
      });
      assert.deepEqual(await typesOf(id), ['resolve_conflict']);
      assert.deepEqual(await typesOf(invited), []);
      await client.call('DELETE', `/busy-dates/${absence}`);
      assert.deepEqual(await typesOf(id), []);
    });

    it('check_in is there until someone has, and then check_out', async () => {
      const id = await assigned({ checkins: { enabled: 1 } });
      const check = (type: number, timestamp: string) =>
        staffing.create('checkins', { assignment_id: id, type, source: 2, timestamp });
      assert.deepEqual(await actionsOf(id), [{ type: 'check_in', due: start, mandatory: 1, href: '/api/v1/checkins' }]);
      await check(1, start);
      assert.deepEqual(await actionsOf(id), [{ type: 'check_out', due: end, mandatory: 1, href: '/api/v1/checkins' }]);
      const out = await check(4, end);
      assert.deepEqual(await actionsOf(id), []);
      await client.call('DELETE', `/checkins/${out}`);
      assert.deepEqual(await typesOf(id), ['check_out']);
      assert.deepEqual(await typesOf(await assigned({ checkins: { enabled: 1, required_types: [1] } })), ['check_in']);
      assert.deepEqual(await typesOf(await assigned({ checkins: { enabled: 1, required_types: [4] } })), ['check_out']);
      assert.deepEqual(await typesOf(await assigned({ checkins: { enabled: 1, required_types: [] } })), []);
    });

    it('submit_work_time is there until times are proposed or told, and again if they are rejected', async () => {
      const id = await assigned({ work_time_proposals: { enabled: 1 } });
      const [action] = await actionsOf(id);
      assert.deepEqual(action, {
        type: 'submit_work_time',
        due: end,
        mandatory: 0,
        href: '/api/v1/work-time-proposals',
      });
      const proposal = await staffing.create('work-time-proposals', { assignment_id: id, start, end });
      assert.deepEqual(await typesOf(id), []);
      await put(`/work-time-proposals/${proposal}`, { status: 3 });
      assert.deepEqual(await typesOf(id), ['submit_work_time']);
      await staffing.create('work-times', { event_function_employee_id: id, start, end });
      assert.deepEqual(await typesOf(id), []);
      const other = await assigned({ work_time_proposals: { enabled: 1, mandatory: 1 } });
      assert.equal((await actionsOf(other))[0]?.mandatory, 1);
    });

    it('sign_work_data is there until a proposal is signed', async () => {
      const id = await assigned({ signed_work_data: { enabled: 1 } });
      const [action] = await actionsOf(id);
      assert.deepEqual(action, {
        type: 'sign_work_data',
        due: end,
        mandatory: 1,
        href: '/api/v1/assignments/signed-work-data',
      });
      await staffing.create('work-time-proposals', { assignment_id: id, start, end });
      assert.deepEqual(await typesOf(id), ['sign_work_data']);
      await staffing.create('work-time-proposals', { assignment_id: id, start, end, signed_at: end });
      assert.deepEqual(await typesOf(id), []);
    });

    it('submit_report is there until every form has its report', async () => {
      const forms = [await staffing.create('forms', { name: 'One' }), await staffing.create('forms', { name: 'Two' })];
      const questions = [];
      for (const form of forms)
        questions.push(await staffing.create('attributes', { entity_id: form, name: 'How was it?' }));
      const asked = { reporting_forms: { enabled: 1, mandatory: 1 } };
      const id = await assigned(asked, 6, { reporting_form_ids: forms });
      const [action] = await actionsOf(id);
      assert.deepEqual(action, {
        type: 'submit_report',
        due: end,
        mandatory: 1,
        href: '/api/v1/assignment-employment-reports',
      });
      const report = (data: object[]) => staffing.create('assignment-employment-reports', { assignment_id: id, data });
      await report([{ attribute_id: questions[0], value: 'Well' }]);
      assert.deepEqual(await typesOf(id), ['submit_report']);
      await report([{ attribute_id: questions[1], value: 'Well' }]);
      assert.deepEqual(await typesOf(id), []);
      const named = await assigned(asked, 6, { reporting_form_ids: forms });
      for (const [index, form] of forms.entries()) {
        const of = { assignment_id: named, report_submission_id: form, data: [{ text: 'Well' }] };
        await staffing.create('assignment-employment-reports', of);
        assert.deepEqual(await typesOf(named), index === 0 ? ['submit_report'] : []);
      }
      const other = await assigned(asked, 6, { reporting_form_ids: forms });
      await staffing.create('assignment-employment-reports', { assignment_id: other, data: [{ text: 'Well' }] });
      assert.deepEqual(await typesOf(other), []);
      assert.deepEqual(await typesOf(await assigned(asked, 6, { reporting_form_ids: [] })), []);
    });

    it('sign_contract is there while the newest contract has no file', async () => {
      const id = await assigned();
      const contract = await staffing.create('assignment-contract', { assignment_id: id });
      const [action] = await actionsOf(id);
      assert.deepEqual(action, {
        type: 'sign_contract',
        due: start,
        mandatory: 1,
        href: `/api/v1/assignment-contract/${contract}`,
      });
      const { body: file } = await client.call('POST', '/files', { body: Buffer.from('Signed') });
      await put(`/assignment-contract/${contract}`, { file: file.path });
      assert.deepEqual(await typesOf(id), []);
      await staffing.create('assignment-contract', { assignment_id: id });
      assert.deepEqual(await typesOf(id), ['sign_contract']);
    });

    it('is none about work that is approved, but for reports and contracts', async () => {
      const form = await staffing.create('forms', { name: 'Form' });
      const on = { enabled: 1 };
      const everything = {
        confirmation: on,
        checkins: on,
        work_time_proposals: on,
        signed_work_data: on,
        reporting_forms: on,
      };
      const id = await assigned(everything, 6, { reporting_form_ids: [form] });
      await staffing.create('assignment-contract', { assignment_id: id });
      const all = ['confirm', 'sign_contract', 'check_in', 'submit_work_time', 'sign_work_data', 'submit_report'];
      assert.deepEqual(await typesOf(id), all);
      await approve(id, await staffing.planner());
      assert.deepEqual(await typesOf(id), ['sign_contract', 'submit_report']);
      await approve(id, null);
      assert.deepEqual(await typesOf(id), all);
    });
  });

  describe('the field open_actions', () => {
    it('is the same in a read, in listings of any kind, with embed and in the action', async () => {
      const id = await assigned({ checkins: { enabled: 1 } });
      const action = (await client.call('GET', `/assignments/${id}/open-actions`)).body;
      assert.deepEqual([action.assignment_id, action.count], [id, 1]);
      const paths = [
        '',
        '&fields=open_actions',
        '&fields=open_actions,id&sort=-start',
        '&limit=5',
        '&embed=employee',
        '&embed=event&fields=open_actions',
      ];
      for (const path of paths) {
        const { body } = await client.call('GET', `/assignments?id=${id}${path}`);
        assert.deepEqual(body[0].open_actions, action, path);
      }
      const read = await client.call('GET', `/assignments/${id}?embed=event`);
      assert.deepEqual(read.body.open_actions, action);
      assert.equal(read.body.event.id, read.body.event_id);
      const { body: ids } = await client.call('GET', `/assignments?id=${id}&fields=id`);
      assert.deepEqual(ids, [{ id }]);
    });

    it('is there in assignments that are embedded, alone or among others', async () => {
      const id = await assigned({ checkins: { enabled: 1 } });
      const action = (await client.call('GET', `/assignments/${id}/open-actions`)).body;
      const { event_id } = (await client.call('GET', `/assignments/${id}`)).body;
      const event = await client.call('GET', `/events/${event_id}?embed=assignments.open_actions`);
      assert.deepEqual(event.body.assignments, [{ open_actions: action }]);
      const checkin = await staffing.create('checkins', { assignment_id: id, type: 1, source: 2, timestamp: start });
      const { body } = await client.call('GET', `/checkins/${checkin}?embed=assignment`);
      assert.deepEqual(
        body.assignment.open_actions.actions.map(({ type }: Action) => type),
        ['check_out'],
      );
    });

    it('is filtered by null and not null only, and no order', async () => {
      const id = await assigned();
      const count = async (query: string) => (await client.call('GET', `/assignments?id=${id}&${query}`)).body.length;
      assert.deepEqual([await count('open_actions=null'), await count('open_actions=-null')], [0, 1]);
      assert.equal((await client.call('GET', '/assignments?open_actions=5')).body.code, 'invalid_filter');
      assert.equal((await client.call('GET', '/assignments?sort=open_actions')).body.code, 'invalid_sort');
    });

    it('is ignored when it is sent back, and shown after a write', async () => {
      const id = await assigned({ confirmation: { enabled: 1 } });
      const { body } = await client.call('GET', `/assignments/${id}`);
      assert.deepEqual((await client.call('PUT', `/assignments/${id}`, { body })).body, body);
      assert.equal((await staffing.setStatus(id, 7)).body.open_actions.count, 0);
    });

    it('is told in XML, too', async () => {
      const id = await assigned({ checkins: { enabled: 1 } });
      const { text } = await client.call('GET', `/assignments/${id}/open-actions.xml`);
      assert.match(
        text,
        /<open_actions>\s*<assignment_id>\d+<\/assignment_id>\s*<count>1<\/count>[\s\S]*<item>[\s\S]*<type>check_in<\/type>/,
      );
      const record = await client.call('GET', `/assignments/${id}.xml?fields=open_actions`);
      assert.match(record.text, /<assignment>\s*<open_actions>[\s\S]*<href>\/api\/v1\/checkins<\/href>/);
    });

    it('is that of each assignment in a page, as documented', async () => {
      const operation = operationOf('assignments', 'list');
      const response = await client.call('GET', '/assignments?limit=50');
      assert.ok(operation && response.body.length > 5);
      assert.deepEqual(violations(operation, 200, response.body), []);
      for (const { id, open_actions } of response.body) assert.equal(open_actions.assignment_id, id);
    });
  });
});
