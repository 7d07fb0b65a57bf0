import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertConflict, Staffing } from '../../domain/staffing/scene.ts';
import { Importer } from '../../imports/importer.ts';
import type { Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { flush, inboxOf } from '../sandbox/scene.ts';
import { rowsOf } from './person.ts';

const day = 86_400_000;
const days = (count: number): string => new Date(Date.now() + count * day).toISOString().replace(/\.\d+Z/, 'Z');

const forget = async (client: Client, path: string): Promise<void> => {
  const response = await client.call('DELETE', `${path}?anonymize=true`);
  assert.equal(response.status, 204, response.text);
};

forAnyApp((client, app) => {
  const staffing = new Staffing(client);
  const shift = (from: number, changes: object = {}) => staffing.shift(days(from), days(from + 0.25), changes);

  describe('forgetting an employee', () => {
    it('denies what has not begun and is not approved, with an entry in the history, and frees the places', async () => {
      const employee = await staffing.employee();
      const place = await shift(3, { quantity: 1 });
      const [future, begun, approved] = [
        await staffing.assignment(employee, place, 6),
        await staffing.assignment(employee, await shift(-0.1), 6),
        await staffing.assignment(employee, await shift(5), 6),
      ];
      const others = await Promise.all(
        [1, 3, 5].map(async status => staffing.assignment(employee, await shift(10 + status), status)),
      );
      const denied = await staffing.assignment(employee, await shift(20), 1);
      await staffing.setStatus(denied, 8);
      const approval = { approved_by_planner_id: await staffing.planner() };
      const done = await client.call('PUT', `/assignments/${approved}/approve?force=true`, { body: approval });
      assert.equal(done.status, 200, done.text);
      const stranger = await staffing.newAssignment(days(3), days(4), 6);
      await forget(client, `/employees/${employee}`);
      assert.deepEqual(
        await Promise.all([future, ...others, denied].map(id => staffing.statusOf(id))),
        [8, 8, 8, 8, 8],
      );
      assert.deepEqual(await Promise.all([begun, approved, stranger].map(id => staffing.statusOf(id))), [6, 6, 6]);
      const { body: history } = await client.call('GET', `/assignments/${future}/history`);
      const { action, from_status, to_status } = history.at(-1);
      assert.deepEqual([action, from_status, to_status], ['status', 6, 8]);
      assert.equal((await client.call('GET', `/assignments/${denied}/history`)).body.length, 2);
      assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '0/1');
      await staffing.assignment(await staffing.employee(), place, 6);
    });

    it('is rejected as a whole if the record has changed, and denies nothing as a dry run', async () => {
      const employee = await staffing.employee();
      const id = await staffing.assignment(employee, await shift(3), 6);
      const path = `/employees/${employee}?anonymize=true`;
      assert.equal((await client.call('DELETE', path, { headers: { 'If-Match': '"other"' } })).status, 412);
      assert.equal((await client.call('DELETE', `${path}&dry_run=true`)).status, 204);
      assert.equal(await staffing.statusOf(id), 6);
    });

    it('and booking at once: no future assignment holds a place afterwards', async () => {
      for (let round = 0; round < 4; round++) {
        const employee = await staffing.employee();
        const places = await Promise.all([3, 4, 5, 6].map(from => shift(from)));
        const body = (event_function_id: number) => ({ employee_id: employee, event_function_id, status: 6 });
        await Promise.all([
          ...places.map(place => client.call('POST', '/assignments', { body: body(place) })),
          forget(client, `/employees/${employee}`),
        ]);
        const { body: found } = await client.call('GET', `/assignments?employee_id=${employee}&fields=status`);
        for (const { status } of found) assert.equal(status, 8);
      }
    });
  });

  describe('the record of a person who has been forgotten', () => {
    it('shows when, and is not changed by PUT, upsert, import or change request; forgetting again has the same success', async () => {
      const importer = new Importer(app);
      const company = await staffing.create('clients', { company: 'Nordlicht' });
      const people = {
        employees: { firstname: 'Robin', lastname: 'Behn' },
        contacts: { firstname: 'Robin', lastname: 'Behn', client_id: company },
      };
      for (const [resource, values] of Object.entries(people)) {
        const external_id = `forgotten-${resource}`;
        const id = await staffing.create(resource, { ...values, external_id });
        const path = `/${resource}/${id}`;
        const record = (await client.call('GET', path)).body;
        assert.equal(record.forgotten_at, null);
        const asked = { entity: resource, entity_id: id, changes: [{ field: 'lastname', new_value: 'C' }] };
        const request = await client.call('POST', '/change-requests', { body: asked });
        assert.equal(request.status, 201, request.text);
        await forget(client, path);
        const forgotten = (await client.call('GET', path)).body;
        assert.ok(Math.abs(Date.parse(forgotten.forgotten_at) - Date.now()) < day / 24);
        const body = { lastname: 'Behn' };
        assertConflict(await client.call('PUT', path, { body: record }), 'record_forgotten');
        assertConflict(await client.call('PUT', path, { body: {} }), 'record_forgotten');
        assertConflict(
          await client.call('PUT', `/${resource}/external/${external_id}`, { body: { ...values, ...body } }),
          'record_forgotten',
        );
        assertConflict(await client.call('POST', '/change-requests', { body: asked }), 'record_forgotten');
        const decision = `/change-requests/${request.body.id}/decision`;
        assertConflict(await client.call('PUT', decision, { body: { status: 2 } }), 'record_forgotten');
        assert.equal((await client.call('PUT', decision, { body: { status: 3 } })).status, 200);
        const rows = [
          { external_id, ...values },
          { id, ...body },
        ];
        const { results } = await importer.import(client, `/${resource}/import`, rows);
        for (const { result, errors } of results)
          assert.deepEqual(
            [result, errors.map(({ code }: { code: string }) => code)],
            ['failed', ['record_forgotten']],
          );
        await forget(client, path);
        assert.deepEqual((await client.call('GET', path)).body, forgotten);
        assertConflict(await client.call('PUT', path, { body }), 'record_forgotten');
      }
    });

    it('has no copies in the results of imports', async () => {
      const importer = new Importer(app);
      const [firstname, lastname, external_id] = ['Magpie4b', 'Magpie4c', 'M-4'];
      const employee = await staffing.employee({ external_id, firstname, lastname });
      const company = await staffing.create('clients', { company: 'Nordlicht' });
      const contact = await staffing.create('contacts', { client_id: company, firstname: 'Jay6f', lastname: 'Jay6g' });
      const rows = [
        { id: employee, gender: 'siskin1' },
        { external_id, gender: 'siskin2' },
        { firstname, lastname, gender: `siskin3 ${firstname} ${lastname}` },
        { firstname: 'Another', lastname, gender: 'siskin4' },
      ];
      const { found } = await importer.import(client, '/employees/import', rows);
      await importer.import(client, '/contacts/import', [{ id: contact, gender: 'siskin5' }]);
      const stored = async () => {
        const text = (await rowsOf(client)).get('import_results')?.join() ?? '';
        return [1, 2, 3, 4, 5].filter(n => text.includes(`siskin${n}`));
      };
      assert.deepEqual(await stored(), [1, 2, 3, 4, 5]);
      await forget(client, `/employees/${employee}`);
      const { body: results } = await client.call('GET', `/imports/${found.id}/results`);
      for (const { result, errors } of results) {
        assert.deepEqual([result, errors[0].code], ['failed', 'not_in_collection']);
        assert.equal(errors[0].field, 'gender');
      }
      assert.deepEqual(await stored(), [4, 5]);
      await forget(client, `/contacts/${contact}`);
      assert.deepEqual(await stored(), [4]);
    });
  });

  describe('an employee who is inactive or deleted', () => {
    it('keeps the assignments; each that is not approved and holds a place has the open action resolve_conflict', async () => {
      const employee = await staffing.employee();
      const ids = [];
      for (const [index, status] of [5, 6, 6, 1].entries())
        ids.push(await staffing.assignment(employee, await shift(3 + index), status));
      await staffing.setStatus(ids[2] as number, 7);
      const past = await staffing.assignment(employee, await shift(-9), 6);
      const approved = await staffing.assignment(employee, await shift(-8), 6);
      const approval = { approved_by_planner_id: await staffing.planner() };
      await client.call('PUT', `/assignments/${approved}/approve?force=true`, { body: approval });
      const all = [...ids, past, approved];
      const typesOf = async (listed: boolean) => {
        const found = listed
          ? (await client.call('GET', `/assignments?id=${all.join()}&fields=id,open_actions`)).body
          : await Promise.all(all.map(async id => (await client.call('GET', `/assignments/${id}`)).body));
        return found.map(({ open_actions }: { open_actions: { actions: { type: string }[] } }) =>
          open_actions.actions.some(({ type }) => type === 'resolve_conflict'),
        );
      };
      for (const [status, wanted] of [
        [4, false],
        [5, true],
        [6, true],
        [3, false],
      ] as const) {
        await client.call('PUT', `/employees/${employee}`, { body: { status } });
        for (const listed of [true, false])
          assert.deepEqual(await typesOf(listed), [wanted, wanted, wanted, false, wanted, false], String(status));
      }
      assert.deepEqual(await Promise.all(all.map(id => staffing.statusOf(id))), [5, 6, 7, 1, 6, 6]);
    });
  });
});

forAnyApp(
  client => {
    it('forgetting a person deletes the webhooks with the person from the inbox of a sandbox', async () => {
      const staffing = new Staffing(client);
      const automation = {
        trigger_type: 'record.changed',
        trigger_configuration: JSON.stringify({ resource: ['employees', 'busy-dates', 'events'], include: 'record' }),
        routine_type: 'webhook.post',
        routine_configuration: JSON.stringify({ url: 'https://receiver.example/hook' }),
      };
      await staffing.create('automations', automation);
      const person = await staffing.employee({ firstname: 'Wren8c', lastname: 'Wren9d', email: 'wren@staff.example' });
      const other = await staffing.employee({ email: 'lark@staff.example' });
      await staffing.create('busy-dates', {
        employee_id: person,
        start: days(3),
        end: days(4),
        busy_entry: { description: 'Cure8' },
      });
      const client_id = await staffing.create('clients', { company: 'Nordlicht' });
      const name = { firstname: 'Teal1x', lastname: 'Teal2x' };
      const contact = await staffing.create('contacts', { client_id, ...name });
      const project_id = await staffing.create('projects', { name: 'P', client_id, contact_id: contact });
      await staffing.event(days(3), days(4), { project_id });
      await flush(client);
      const shown = async () => {
        const text = JSON.stringify(await inboxOf(client));
        return ['Wren8c', 'wren@staff.example', 'Cure8', 'Teal1x', 'lark@staff.example'].map(word =>
          text.includes(word),
        );
      };
      assert.deepEqual(await shown(), [true, true, true, true, true]);
      await forget(client, `/employees/${person}`);
      assert.deepEqual(await shown(), [false, false, false, true, true]);
      await forget(client, `/contacts/${contact}`);
      assert.deepEqual(await shown(), [false, false, false, false, true]);
      await flush(client);
      assert.deepEqual(await shown(), [false, false, false, false, true]);
      assert.equal((await client.call('GET', `/employees/${other}`)).body.email, 'lark@staff.example');
    });
  },
  {},
  { sandbox: true },
);
