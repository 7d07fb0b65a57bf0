import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { getDocumented } from './scene.ts';

const [start, end] = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'];

forAnyApp((client, app) => {
  const staffing = new Staffing(client);

  describe('reporting forms', () => {
    it("are the event's or else its project's, with their attributes and the last report", async () => {
      const forms = [await staffing.create('forms', { name: 'One' }), await staffing.create('forms', { name: 'Two' })];
      const [one = 0, two = 0] = forms;
      const question = await staffing.create('attributes', { entity_id: one, name: 'How was it?', type: 'text' });
      const project_id = await staffing.create('projects', {
        name: 'P',
        reporting_form_ids: [two, one],
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
      const first = (await getDocumented(client, `/assignments/${id}/reporting-forms`)).body;
      assert.deepEqual(first, [
        { form_id: two, name: 'Two', ...ofProject, assignment_ids: [id], attributes: [] },
        { form_id: one, name: 'One', ...ofProject, assignment_ids: [id], attributes },
      ]);
      const report = await client.call('POST', '/assignment-employment-reports', {
        body: { assignment_id: id, data: [{ attribute_id: question, value: 'Well' }] },
      });
      const submitted_at = report.body.created_at;
      const told = (await getDocumented(client, `/assignments/${id}/reporting-forms`)).body;
      assert.deepEqual(
        told.map((form: Record<string, unknown>) => form.submitted_at),
        [null, submitted_at],
      );
      const set = (await getDocumented(client, `/assignments/reporting-forms?id=${other},${colleague},${id},999999999`))
        .body;
      assert.deepEqual(set, [
        { form_id: one, name: 'One', source: 'event', source_id: own, ...shared, assignment_ids: [other], attributes },
        { form_id: two, name: 'Two', ...ofProject, assignment_ids: [id, colleague], attributes: [] },
        { form_id: one, name: 'One', ...ofProject, assignment_ids: [id, colleague], attributes },
      ]);
      await staffing.create('assignment-employment-reports', { assignment_id: colleague });
      const all = (await getDocumented(client, `/assignments/reporting-forms?id=${colleague},${id}`)).body;
      assert.deepEqual(
        all.map((form: Record<string, unknown>) => form.submitted_at === null),
        [true, false],
      );
      const { text } = await client.call('GET', `/assignments/${id}/reporting-forms.xml`);
      assert.match(text, /<reporting_forms>\s*<item>[\s\S]*<name>Two<\/name>[\s\S]*<attributes>\s*<item>/);
    });

    it('are none where nothing names any, and need the module', async () => {
      const project_id = await staffing.create('projects', { name: 'P' });
      const event = await staffing.event(start, end, { project_id });
      const id = await staffing.assignment(await staffing.employee(), await staffing.place(event));
      assert.deepEqual((await getDocumented(client, `/assignments/${id}/reporting-forms`)).body, []);
      const without = await app.newClient({ modules: new Set(['checkins']) });
      for (const path of ['/assignments/1/reporting-forms', '/assignments/reporting-forms?id=1'])
        assert.equal((await without.call('GET', path)).body.code, 'module_disabled', path);
    });
  });
});
