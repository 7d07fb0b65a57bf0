import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { now } from '../../../src/db/now.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { Payroll } from '../../domain/work/scene.ts';
import { Importer, send } from '../../imports/importer.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { age, aged } from './age.ts';

const shift = ['2027-03-01T08:00:00Z', '2027-03-01T16:00:00Z'] as const;

forAnyApp((client, app) => {
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
    const response = await client.call(method, path, body ? { body } : {});
    assert.ok(response.status < 300, response.text);
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
      const emptied = { planner_id: null, client_id: null, contact_id: null };
      await age(client, 'events');
      assert.deepEqual(await told(() => write('PUT', `/events/${event}`, emptied)), []);
      const place = await staffing.place(event);
      const assignment = await staffing.assignment(await staffing.employee(), place, 6);
      for (const table of ['event_functions', 'assignments', 'events']) await age(client, table);
      for (const [path, body] of [
        [`/events/${event}`, emptied],
        [`/event-functions/${place}`, { start: null, break_end: null }],
        [`/assignments/${assignment}/time`, { start: null, break_start: null }],
        [`/assignments/${assignment}`, { statistics: null }],
      ] as const)
        assert.deepEqual(await told(() => write('PUT', path, body)), [], path);
    });

    it('what is inherited in place of the same value is no field that differs, nor moves the records below', async () => {
      const given = {
        planner_id: await staffing.planner(),
        client_id: await staffing.create('clients', { company: 'C' }),
      };
      const project_id = await staffing.create('projects', { name: 'P', ...given });
      const event = await staffing.event(...shift, {
        ...given,
        project_id: await staffing.create('projects', { name: 'Q' }),
      });
      const place = await staffing.place(event, { start: shift[0], end: '2027-03-01T15:00:00Z' });
      const assignment = await staffing.assignment(await staffing.employee(), place, 6);
      await write('PUT', `/events/${event}`, { project_id });
      for (const table of ['events', 'event_functions', 'assignments']) await age(client, table);
      assert.deepEqual(await told(() => write('PUT', `/events/${event}`, { planner_id: null, client_id: null })), [
        // The event takes them from its project from now on.
        'events updated',
      ]);
      assert.deepEqual(await told(() => write('PUT', `/event-functions/${place}`, { start: null })), [
        'event-functions updated',
      ]);
      const { body: shown } = await client.call('GET', `/assignments/${assignment}`);
      assert.equal(shown.updated_at, aged);
      assert.deepEqual((await told(() => write('PUT', `/event-functions/${place}`, { end: null }))).toSorted(), [
        'assignments updated end',
        'event-functions updated end',
      ]);
      await age(client, 'assignments');
      const planner_id = await staffing.create('planners', { first_name: 'Other', last_name: 'Planner' });
      assert.deepEqual((await told(() => write('PUT', `/events/${event}`, { planner_id }))).toSorted(), [
        'assignments updated',
        'events updated planner_id',
      ]);
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

    it('an import of null over a value that is inherited, whose result is `unchanged`', async () => {
      const project_id = await staffing.create('projects', { name: 'P', planner_id: await staffing.planner() });
      await staffing.event(...shift, { project_id, external_id: 'HEIR' });
      await age(client, 'events');
      const importing = async () => {
        const row = { external_id: 'HEIR', planner_id: null, contact: null };
        const { body } = await send(client, '/events/import', [row]);
        await new Importer(app).work(client);
        const { body: done } = await client.call('GET', `/imports/${body.id}`);
        assert.deepEqual([done.unchanged, done.updated, done.failed], [1, 0, 0]);
      };
      assert.deepEqual(await told(importing), []);
    });

    it('by a statement that sets a field to its value, nor moves the time of the last change', async () => {
      const id = await staffing.create('clients', { company: 'A' });
      await age(client, 'clients');
      const set = (company: string) => () =>
        client.database
          .forTenant(client.tenant)
          .transaction(({ kysely }) =>
            kysely.updateTable('clients').set({ company, updated_at: now }).where('id', '=', id).execute(),
          );
      const touched = async () => (await client.call('GET', `/clients/${id}`)).body.updated_at;
      assert.deepEqual(await told(set('A')), []);
      assert.equal(await touched(), aged);
      assert.deepEqual(await told(set('B')), ['clients updated company name']);
      assert.notEqual(await touched(), aged);
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
    it('between rows of an import, of which no two of one record are in a transaction', async () => {
      const event = await staffing.event(...shift, { external_id: 'THERE' });
      const assignment = await staffing.assignment(await staffing.employee(), await staffing.place(event), 6);
      for (const table of ['events', 'event_functions', 'assignments']) await age(client, table);
      const [there, back] = [
        { id: event, end: '2027-03-01T17:00:00Z' },
        { external_id: 'THERE', end: shift[1] },
      ];
      const moved = ['assignments updated end', 'event-functions updated end', 'events updated end'];
      const importing = async () => {
        const { counts } = await new Importer(app).import(client, '/events/import', [there, back, back]);
        assert.deepEqual(counts, [3, 0, 2, 1, 0]);
      };
      assert.deepEqual((await told(importing)).toSorted(), [...moved, ...moved].toSorted());
      const { body: shown } = await client.call('GET', `/assignments/${assignment}`);
      assert.equal(shown.end, shift[1]);
    });

    it('that the database computes from others of the record', async () => {
      const assignment = await staffing.assignment(await staffing.employee(), await staffing.shift(...shift), 6);
      const work = await staffing.create('work-times', {
        event_function_employee_id: assignment,
        start: shift[0],
        end: shift[1],
        break_start: '2027-03-01T12:00:00Z',
        break_end: '2027-03-01T12:30:00Z',
      });
      const lines = [{ name: 'A', quantity: 1, rate: 2, amount: 2 }];
      const paid = await payroll.assignment();
      await payroll.approve(paid, '?force=1');
      const sheet = { assignment_id: paid, period_start: '2027-03-01', period_end: '2027-03-31', lines };
      const paysheet = await staffing.create('paysheets', sheet);
      for (const [path, body, fields] of [
        [`/work-times/${work}`, { break_end: '2027-03-01T13:00:00Z' }, 'break_end break_minutes minutes'],
        [
          `/work-times/${work}`,
          { break_start: '2027-03-01T13:00:00Z', break_end: '2027-03-01T14:00:00Z' },
          'break_end break_start',
        ],
        [`/work-times/${work}`, { end: '2027-03-01T17:00:00Z' }, 'end minutes'],
        [`/paysheets/${paysheet}`, { lines: [{ ...lines[0], name: 'B' }] }, 'lines'],
        [`/paysheets/${paysheet}`, { lines: [{ ...lines[0], amount: 3 }] }, 'lines total'],
      ] as const) {
        const [resource] = path.slice(1).split('/');
        const entries = await told(() => write('PUT', path, body));
        assert.deepEqual(
          entries.filter(entry => entry.startsWith(`${resource} `)),
          [`${resource} updated ${fields}`],
        );
      }
    });

    it('also those that have the value of another field, in other statements or in a part of the transaction only', async () => {
      const id = await staffing.create('clients', { company: 'A' });
      assert.deepEqual(await told(() => write('PUT', `/clients/${id}`, { company: 'B', zip: null })), [
        'clients updated company name',
      ]);
    });
  });
});
