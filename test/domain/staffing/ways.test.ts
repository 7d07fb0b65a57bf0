import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Importer } from '../../imports/importer.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { restricted } from '../../support/restricted.ts';
import { errorsOf, Staffing } from './scene.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;

type Way = (by: Client, id: number, body: object) => Promise<ApiResponse>;

/** The requests that change the status of an assignment. */
const ways: Readonly<Record<string, Way>> = {
  'a change of the record': (by, id, body) => by.call('PUT', `/assignments/${id}`, { body }),
  'a change of status': (by, id, body) => by.call('PUT', `/assignments/${id}/status`, { body }),
  'a bulk change': (by, id, body) => by.call('PUT', '/assignments/status', { body: { ...body, assignment_ids: [id] } }),
  'an application': (by, id, { status: _, ...body }: { status?: number }) =>
    by.call('POST', `/assignments/${id}/apply`, { body }),
};

forAnyApp((client, app) => {
  const staffing = new Staffing(client);
  const importer = new Importer(app);

  const entriesSince = async (next: string) =>
    (await client.call('GET', `/changes?after=${next}&resource=assignments`)).body.changes as {
      id: number;
      change: string;
      fields: string[];
    }[];
  const present = async (): Promise<string> => (await client.call('GET', '/changes?after=now')).body.next;

  for (const [name, way] of Object.entries(ways))
    describe(`${name} of assignments`, () => {
      it('takes no remarks from those from whom they are hidden', async () => {
        const by = await restricted(app, client, { hidden: ['personal'] });
        const id = await staffing.newAssignment(...span, 1);
        assert.deepEqual(errorsOf(await way(by, id, { status: 3, remarks: 'By train' })), [
          ['unknown_field', 'remarks'],
        ]);
        const { body } = await client.call('GET', `/assignments/${id}`);
        assert.deepEqual([body.status, body.remarks], [1, null]);
        assert.equal((await way(by, id, { status: 3 })).status, 200);
      });

      it('has remarks in the history only where they change', async () => {
        const id = await staffing.newAssignment(...span, 1);
        assert.equal((await way(client, id, { status: 3, remarks: null })).status, 200);
        const { body: history } = await client.call('GET', `/assignments/${id}/history`);
        assert.deepEqual([history.at(-1).to_status, history.at(-1).data], [3, null]);
      });
    });

  describe('new assignments', () => {
    it('take no remarks from those from whom they are hidden, one or many at a time', async () => {
      const by = await restricted(app, client, { hidden: ['personal'] });
      const place = await staffing.shift(...span);
      const employee = await staffing.employee();
      const body = { event_function_id: place, remarks: 'By train' };
      for (const [path, people] of [
        ['/assignments', { employee_id: employee }],
        ['/assignments/bulk', { employee_ids: [employee] }],
      ] as const) {
        const response = await by.call('POST', path, { body: { ...body, ...people } });
        assert.deepEqual(errorsOf(response), [['unknown_field', 'remarks']], path);
      }
    });

    it('have entries with the same fields, one or many at a time, or imported', async () => {
      const place = await staffing.shift(...span, { quantity: 9 });
      const body = { event_function_id: place, status: 6, remarks: 'By train' };
      const people = [await staffing.employee(), await staffing.employee(), await staffing.employee()] as const;
      const next = await present();
      await client.call('POST', '/assignments', { body: { ...body, employee_id: people[0] } });
      await client.call('POST', '/assignments/bulk', { body: { ...body, employee_ids: [people[1]] } });
      await importer.import(client, '/assignments/import', [{ ...body, employee_id: people[2] }]);
      const [single, ...others] = (await entriesSince(next)).map(({ change, fields }) => [change, fields.toSorted()]);
      assert.deepEqual(others, [single, single]);
      assert.ok(single?.[1]?.includes('start'));
    });
  });

  describe('a bulk change to the same status', () => {
    it('has changed those whose remarks differ', async () => {
      const id = await staffing.newAssignment(...span, 1);
      const change = async (remarks: string) => {
        const body = { assignment_ids: [id], status: 1, remarks };
        const { body: outcome } = await client.call('PUT', '/assignments/status', { body });
        return [outcome.changed, outcome.unchanged, outcome.results[0].result];
      };
      const next = await present();
      assert.deepEqual(await change('By train'), [1, 0, 'changed']);
      assert.deepEqual(await change('By train'), [0, 1, 'unchanged']);
      assert.equal((await entriesSince(next)).length, 1);
      const { body: history } = await client.call('GET', `/assignments/${id}/history`);
      assert.equal(history.length, 1);
    });
  });
});
