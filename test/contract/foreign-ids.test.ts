import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addAttribute } from '../attributes/scene.ts';
import type { ApiResponse, Client } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';
import { Scene } from '../support/scene.ts';

const never = 9_007_199_254_740_991;

/** A request that names a record of a resource by its id, beside what its tenant has. */
interface Naming {
  readonly resource: string;
  readonly send: (id: number, client: Client, own: (resource: string) => Promise<number>) => Promise<ApiResponse>;
}

const work_times = [{ start: '2026-06-12T16:00:00Z', end: '2026-06-12T20:00:00Z' }];
const sign = (client: Client, planner: number, more: object): Promise<ApiResponse> =>
  client.call('POST', '/assignments/signed-work-data', {
    body: {
      approver: { type: 'planner', id: planner },
      signed_at: '2026-06-13T08:00:00Z',
      method: 'signature',
      ...more,
    },
  });

/** The ids in bodies of actions: those of records that are written are in references.test.ts. */
const namings: Readonly<Record<string, Naming>> = {
  'assignments that are approved': {
    resource: 'assignments',
    send: async (id, client, own) =>
      client.call('PUT', '/assignments/approve', {
        body: { assignment_ids: [id], approved_by_planner_id: await own('planners') },
      }),
  },
  'the planner who approves many assignments': {
    resource: 'planners',
    send: async (id, client, own) =>
      client.call('PUT', '/assignments/approve', {
        body: { assignment_ids: [await own('assignments')], approved_by_planner_id: id },
      }),
  },
  'assignments whose status changes': {
    resource: 'assignments',
    send: (id, client) => client.call('PUT', '/assignments/status', { body: { assignment_ids: [id], status: 4 } }),
  },
  'employees who are assigned': {
    resource: 'employees',
    send: async (id, client, own) =>
      client.call('POST', '/assignments/bulk', {
        body: { event_function_id: await own('event-functions'), employee_ids: [id] },
      }),
  },
  'the event function that many are assigned to': {
    resource: 'event-functions',
    send: async (id, client, own) =>
      client.call('POST', '/assignments/bulk', {
        body: { event_function_id: id, employee_ids: [await own('employees')] },
      }),
  },
  'the event function that an assignment is moved to': {
    resource: 'event-functions',
    send: async (id, client, own) =>
      client.call('PUT', `/assignments/${await own('assignments')}/move`, { body: { event_function_id: id } }),
  },
  'items that are billed': {
    resource: 'assignment-billings',
    send: (id, client) =>
      client.call('PUT', '/assignment-billings/billed', {
        body: { assignment_billing_ids: [id], billed_on: '2026-07-01T10:00:00Z' },
      }),
  },
  'assignments with signed work': {
    resource: 'assignments',
    send: async (id, client, own) =>
      sign(client, await own('planners'), { items: [{ assignment_id: id, work_times }] }),
  },
  'the planner who has signed': {
    resource: 'planners',
    send: async (id, client, own) =>
      sign(client, id, { items: [{ assignment_id: await own('assignments'), work_times }] }),
  },
  'the file of a signature': {
    resource: 'files',
    send: async (id, client, own) =>
      sign(client, await own('planners'), {
        signature_file_id: id,
        items: [{ assignment_id: await own('assignments'), work_times }],
      }),
  },
};

forAnyApp((client, app) => {
  const scene = new Scene(client);
  let other: Client;
  let theirs: Scene;

  before(async () => {
    other = await app.newClient();
    theirs = new Scene(other);
  });

  /** A response without the ids that were sent, and what differs between two requests anyway. */
  const told = ({ status, text }: ApiResponse, id: number): readonly unknown[] => [
    status,
    text.replaceAll(String(id), '#').replaceAll(/"request_id": "[^"]*"/g, ''),
  ];

  describe('the id of another tenant’s record, of', () => {
    for (const [title, { resource, send }] of Object.entries(namings))
      it(`${title}, has the response of one that never was, and the record stays as it is`, async () => {
        const id = await theirs.idOf(resource);
        const path = await theirs.recordPath(resource, id);
        const recordOf = async () => (await other.call('GET', path)).text;
        const before = await recordOf();
        const own = (name: string) => scene.idOf(name);
        const [foreign, unknown] = [await send(id, client, own), await send(never, client, own)];
        assert.match(foreign.text, /reference_not_found/);
        assert.deepEqual(told(foreign, id), told(unknown, never));
        assert.equal(await recordOf(), before);
      });

    it('the attribute of a requested change, has the response of one that never was', async () => {
      const id = Number((await addAttribute(other, 'text')).split('_').at(-1));
      const ask = async (of: Client, entity_id: number, attribute_id: number) => {
        const body = { entity: 'clients', entity_id, changes: [{ attribute_id, new_value: 'Lind' }] };
        return of.call('POST', '/change-requests', { body });
      };
      assert.equal((await ask(other, await theirs.idOf('clients'), id)).status, 201);
      const own = await scene.idOf('clients');
      const [foreign, unknown] = [await ask(client, own, id), await ask(client, own, never)];
      assert.match(foreign.text, /reference_not_found/);
      assert.deepEqual(told(foreign, id), told(unknown, never));
    });
  });
});
