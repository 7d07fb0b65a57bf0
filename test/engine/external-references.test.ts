import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../generated/resources.ts';
import type { Values } from '../../src/engine/body.ts';
import { externalReferences } from '../../src/engine/references/external.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import type { Answer } from '../support/app.ts';
import { forEachApp } from '../support/for-each-app.ts';

/** Returns the codes of the errors by their fields. */
const errorsOf = ({ status, body }: Answer): readonly (readonly [string, string])[] => {
  assert.equal(status, 422, JSON.stringify(body));
  return body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]);
};

/** Returns the statements that look up the references of a contact's body. */
const referencesIn = (body: Values) =>
  externalReferences({ fields: resources.contacts.fields }, body, resources, { id: 1 }).statements;

const friday = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const saturday = ['2026-06-13T16:00:00Z', '2026-06-13T22:00:00Z'] as const;

let count = 0;

forEachApp((client, app) => {
  const put = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    client.call('PUT', path, { body, headers });
  const newId = () => `R-${++count}`;

  /** Creates a client with a new external id, and returns both of its ids. */
  const makeClient = async (changes: object = {}) => {
    const external = newId();
    const answer = await put(`/clients/external/${external}`, { company: `Company ${external}`, ...changes });
    assert.equal(answer.status, 201, answer.text);
    return { external, id: answer.body.id as number };
  };

  describe('a reference in a body', () => {
    it('may be given by the external id of its record, on POST and PUT', async () => {
      const [first, second] = [await makeClient(), await makeClient()];
      const body = { lastname: 'A', client: { external_id: first.external } };
      const created = await client.call('POST', '/contacts', { body });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.body.client_id, first.id);
      const moved = await put(`/contacts/${created.body.id}`, { client: { external_id: second.external } });
      assert.equal(moved.body.client_id, second.id, moved.text);
      const contact = newId();
      const upserted = await put(`/contacts/external/${contact}`, body);
      assert.deepEqual([upserted.status, upserted.body.client_id], [201, first.id]);
      const again = await put(`/contacts/external/${contact}`, { client: { external_id: second.external } });
      assert.deepEqual([again.status, again.body.client_id], [200, second.id]);
    });

    it('is looked up as it was given by its id: unknown, inactive, of another tenant', async () => {
      const inactive = await makeClient({ status: 2 });
      const given = (external_id: unknown) =>
        client.call('POST', '/contacts', { body: { lastname: 'A', client: { external_id } } });
      assert.deepEqual(errorsOf(await given(newId())), [['client.external_id', 'reference_not_found']]);
      assert.deepEqual(errorsOf(await given(inactive.external)), [['client_id', 'reference_inactive']]);
      assert.deepEqual(errorsOf(await given(7)), [['client.external_id', 'invalid_type']]);
      const stranger = await app.newClient();
      const theirs = newId();
      const made = await stranger.call('PUT', `/clients/external/${theirs}`, { body: { company: 'T' } });
      assert.equal(made.status, 201);
      assert.deepEqual(errorsOf(await given(theirs)), [['client.external_id', 'reference_not_found']]);
      assert.equal((await client.call('GET', `/clients/external/${theirs}`)).status, 404);
      assert.equal((await put(`/clients/external/${theirs}`, { company: 'Ours' })).status, 201);
    });

    it('is rejected if its id is given as well; an embedded record is no reference', async () => {
      const { external, id } = await makeClient();
      const body = { lastname: 'A', client_id: id, client: { external_id: external } };
      assert.deepEqual(errorsOf(await client.call('POST', '/contacts', { body })), [['client', 'read_only']]);
      const made = await client.call('POST', '/contacts', { body: { lastname: 'A', client_id: id } });
      assert.deepEqual(errorsOf(await put(`/contacts/${made.body.id}`, body)), [['client', 'read_only']]);
      const { body: read } = await client.call('GET', `/contacts/${made.body.id}?embed=client`);
      assert.equal(read.client.external_id, external);
      assert.deepEqual(referencesIn({ lastname: 'A', client: { external_id: external } }).length, 1);
      assert.deepEqual(referencesIn(read), []);
    });

    it('keeps its meaning where a field has the member’s name', async () => {
      const name = newId();
      const made = await put(`/functions/external/${name}`, { name: 'Bar' });
      const event = newId();
      const project = newId();
      assert.equal((await put(`/projects/external/${project}`, { name: 'P' })).status, 201);
      const times = { start: '2026-06-12T14:00:00Z', end: '2026-06-12T22:00:00Z' };
      const day = await put(`/events/external/${event}`, { name: 'E', project: { external_id: project }, ...times });
      assert.equal(day.status, 201, day.text);
      const place = { event: { external_id: event }, function: { external_id: name }, quantity: 2 };
      const shift = await client.call('POST', '/event-functions', { body: place });
      assert.equal(shift.status, 201, shift.text);
      assert.deepEqual(
        [shift.body.function_id, shift.body.function, shift.body.event_id],
        [made.body.id, 'Bar', day.body.id],
      );
      const same = await put(`/event-functions/${shift.body.id}`, { ...shift.body, quantity: 3 });
      assert.deepEqual([same.status, same.body.quantity], [200, 3], same.text);
    });

    it('may be given so in the bodies of actions, too', async () => {
      const staffing = new Staffing(client);
      const [here, there] = [await staffing.shift(...friday), await staffing.shift(...saturday)];
      const [from, to, planner] = [newId(), newId(), newId()];
      for (const [place, external_id] of [[here, from] as const, [there, to] as const])
        assert.equal((await put(`/event-functions/${place}`, { external_id })).status, 200);
      const person = await put(`/planners/external/${planner}`, { first_name: 'P', last_name: 'L' });
      assert.equal(person.status, 201, person.text);

      const many = { event_function: { external_id: from }, employee_ids: [await staffing.employee()], status: 6 };
      const invited = await client.call('POST', '/assignments/bulk', { body: many });
      assert.equal(invited.body.created, 1, invited.text);
      const id = invited.body.results[0].assignment_id;
      const path = `/assignments/${id}`;
      const moved = await put(`${path}/move`, { event_function: { external_id: to } });
      assert.deepEqual([moved.status, moved.body.event_function_id], [200, there], moved.text);
      const approved = await put(`${path}/approve?force=1`, { approved_by_planner: { external_id: planner } });
      assert.deepEqual([approved.status, approved.body.approved_by_planner_id], [200, person.body.id], approved.text);

      const unknown = { event_function: { external_id: newId() } };
      assert.deepEqual(errorsOf(await put(`${path}/move`, unknown)), [
        ['event_function.external_id', 'reference_not_found'],
      ]);
      assert.deepEqual(errorsOf(await put(`${path}/move`, { ...unknown, event_function_id: here })), [
        ['event_function', 'read_only'],
      ]);
      assert.deepEqual(errorsOf(await put(`${path}/move`, {})), [['event_function_id', 'not_empty']]);
      assert.deepEqual(errorsOf(await put(`${path}/approve`, {})), [['approved_by_planner_id', 'not_empty']]);
    });
  });
});
