import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { Importer, send } from '../../imports/importer.ts';
import { forEachApp } from '../../support/for-each-app.ts';

const shift = ['2027-03-01T08:00:00Z', '2027-03-01T16:00:00Z'] as const;

forEachApp((client, app) => {
  const staffing = new Staffing(client);
  const payroll = new Payroll(client);

  /** Returns what the entries say of the changes that the work makes, without `updated_at`. */
  const told = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const { body: before } = await client.call('GET', '/changes?after=now');
    await work();
    const { body } = await client.call('GET', `/changes?after=${before.next}`);
    const entries = body.changes as { resource: string; change: string; fields: string[] }[];
    return entries.map(({ resource, change, fields }) =>
      [resource, change, ...fields.filter(name => name !== 'updated_at').toSorted()].join(' '),
    );
  };
  const write = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await client.call(method, path, body ? { body } : {});
    assert.ok(answer.status < 300, answer.text);
  };

  describe('a write that changes nothing has no entry', () => {
    it('a second DELETE of what has the status already', async () => {
      const id = await staffing.create('clients', { company: 'A' });
      assert.deepEqual(await told(() => write('DELETE', `/clients/${id}`)), ['clients updated status']);
      assert.deepEqual(await told(() => write('DELETE', `/clients/${id}`)), []);
      const collection = await staffing.create('collections', { name: 'C' });
      assert.deepEqual(await told(() => write('DELETE', `/collections/${collection}`)), [
        'collections updated deleted',
      ]);
      assert.deepEqual(await told(() => write('DELETE', `/collections/${collection}`)), []);
      assert.deepEqual(await told(() => write('PUT', `/collections/${collection}`, { deleted: 0 })), [
        'collections updated deleted',
      ]);
      assert.deepEqual(await told(() => write('PUT', `/collections/${collection}`, { deleted: 0 })), []);
    });

    it('null over a value that is inherited', async () => {
      const project_id = await staffing.create('projects', { name: 'P', planner_id: await staffing.planner() });
      const event = await staffing.event(...shift, { project_id });
      const emptied = { planner_id: null, client_id: null };
      assert.deepEqual(await told(() => write('PUT', `/events/${event}`, emptied)), []);
      const place = await staffing.place(event);
      const assignment = await staffing.assignment(await staffing.employee(), place, 6);
      for (const [path, body] of [
        [`/event-functions/${place}`, { start: null, break_end: null }],
        [`/assignments/${assignment}/time`, { start: null, break_start: null }],
      ] as const)
        assert.deepEqual(await told(() => write('PUT', path, body)), [], path);
    });

    it('what is inherited in place of the same value is no field that differs', async () => {
      const event = await staffing.event(...shift);
      const place = await staffing.place(event, { start: shift[0], end: '2027-03-01T15:00:00Z' });
      const fields = await told(() => write('PUT', `/event-functions/${place}`, { start: null, end: null }));
      assert.deepEqual(fields, ['event-functions updated end']);
    });

    it('an event that is moved to its time, a status with its remarks, an upsert and an import of the same', async () => {
      const event = await staffing.event(...shift);
      const assignment = await staffing.assignment(await staffing.employee(), await staffing.place(event), 6);
      const remarked = () => write('PUT', `/assignments/${assignment}/status`, { status: 6, remarks: 'R' });
      assert.deepEqual(await told(() => write('PUT', `/events/${event}`, { start: shift[0], end: shift[1] })), []);
      assert.deepEqual(await told(remarked), ['assignments updated remarks']);
      assert.deepEqual(await told(remarked), []);
      const upsert = () => write('PUT', '/clients/external/SAME', { company: 'Same' });
      await upsert();
      assert.deepEqual(await told(upsert), []);
      const importing = async () => {
        assert.equal((await send(client, '/clients/import', [{ external_id: 'SAME', company: 'Same' }])).status, 202);
        await new Importer(app).work(client);
      };
      assert.deepEqual(await told(importing), []);
    });

    it('wages that are derived anew to the same', async () => {
      const assignment = await payroll.assignment();
      await payroll.work(assignment);
      const [work] = await payroll.list(`/work-times?event_function_employee_id=${assignment}`);
      const fields = await told(() =>
        write('PUT', `/work-times/${work.id}`, { source: 1, break_start: null, break_end: null }),
      );
      assert.deepEqual(
        fields.filter(entry => entry.startsWith('assignment-wages')),
        [],
      );
    });
  });

  describe('an entry names the fields that differ', () => {
    it('also those that have the value of another field, in other statements or in a part of the transaction only', async () => {
      const id = await staffing.create('clients', { company: 'A' });
      assert.deepEqual(await told(() => write('PUT', `/clients/${id}`, { company: 'B', zip: null })), [
        'clients updated company name',
      ]);
    });
  });
});
