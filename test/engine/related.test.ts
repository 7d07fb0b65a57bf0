import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Access } from '../../src/core/resource/access.ts';
import { createApiUser } from '../../src/tenancy/api-users.ts';
import { Staffing } from '../domain/staffing/scene.ts';
import { Importer } from '../imports/importer.ts';
import type { ApiResponse } from '../support/app.ts';
import { forAnyApp } from '../support/for-each-app.ts';

/** Returns the codes of the errors by their fields. */
const errorsOf = ({ status, body }: ApiResponse): readonly (readonly [string, string])[] => {
  assert.equal(status, 422, JSON.stringify(body));
  return body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]);
};

const friday = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const saturday = ['2026-06-13T16:00:00Z', '2026-06-13T22:00:00Z'] as const;

let count = 0;

forAnyApp((client, app) => {
  const put = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    client.call('PUT', path, { body, headers });
  /** Creates an API user with this access, and returns how it sends a PUT. */
  const userWith = async (access: Partial<Access>) => {
    const { tenant } = client;
    const { id } = await createApiUser(client.database, tenant, { name: newId(), readOnly: false, ...access });
    const token = await app.tokenOf(tenant, id);
    return (path: string, body: object) => app.callAs({ tenant, token }, 'PUT', path, { body });
  };
  const newId = () => `R-${++count}`;

  /** Creates a client with a new external id, and returns both of its ids. */
  const makeClient = async (changes: object = {}) => {
    const external = newId();
    const response = await put(`/clients/external/${external}`, { company: `Company ${external}`, ...changes });
    assert.equal(response.status, 201, response.text);
    return { external, id: response.body.id as number };
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
      assert.deepEqual(errorsOf(await given(newId())), [['client', 'reference_not_found']]);
      assert.deepEqual(errorsOf(await given(inactive.external)), [['client_id', 'reference_inactive']]);
      assert.deepEqual(errorsOf(await given(7)), [['client', 'invalid_type']]);
      const stranger = await app.newClient();
      const theirs = newId();
      const made = await stranger.call('PUT', `/clients/external/${theirs}`, { body: { company: 'T' } });
      assert.equal(made.status, 201);
      assert.deepEqual(errorsOf(await given(theirs)), [['client', 'reference_not_found']]);
      assert.equal((await client.call('GET', `/clients/external/${theirs}`)).status, 404);
      assert.equal((await put(`/clients/external/${theirs}`, { company: 'Ours' })).status, 201);
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
      // What was read may stand beside the new reference; what is neither may not.
      const embedded = (await client.call('GET', `${path}?embed=event_function`)).body.event_function;
      for (const event_function of [{ id: there }, embedded])
        for (const place of [here, there]) {
          const back = await put(`${path}/move`, { event_function, event_function_id: place });
          assert.deepEqual([back.status, back.body.event_function_id], [200, place], back.text);
          assert.equal((await put(`${path}/move`, { event_function_id: there })).status, 200);
        }
      const neither = { event_function: { id: 999_999_999 }, event_function_id: here };
      assert.deepEqual(errorsOf(await put(`${path}/move`, neither)), [['event_function', 'read_only']]);
      assert.equal((await put('/assignments/999999999/move', neither)).status, 404);
      const approved = await put(`${path}/approve?force=1`, { approved_by_planner: { external_id: planner } });
      assert.deepEqual([approved.status, approved.body.approved_by_planner_id], [200, person.body.id], approved.text);

      const unknown = { event_function: { external_id: newId() } };
      assert.deepEqual(errorsOf(await put(`${path}/move`, unknown)), [['event_function', 'reference_not_found']]);
      assert.deepEqual(errorsOf(await put(`${path}/move`, { ...unknown, event_function_id: here })), [
        ['event_function', 'reference_not_found'],
      ]);
      const twice = { event_function: { external_id: to }, event_function_id: there };
      assert.equal((await put(`${path}/move`, twice)).body.event_function_id, there);
      const taken = await put(`${path}/approve`, { approved_by_planner: null });
      assert.deepEqual([taken.status, taken.body.approved_by_planner_id], [200, null], taken.text);
      assert.deepEqual(errorsOf(await put(`${path}/move`, {})), [['event_function_id', 'not_empty']]);
      assert.deepEqual(errorsOf(await put(`${path}/approve`, {})), [['approved_by_planner_id', 'not_empty']]);
    });
  });

  describe('what a body says of related records', () => {
    /** Client A, to which the contact belongs, and client B. */
    const cast = async () => {
      const [a, b] = [await makeClient(), await makeClient()];
      const lastname = newId();
      const contact = await put(`/contacts/external/${newId()}`, { lastname, client_id: a.id });
      assert.equal(contact.status, 201, contact.text);
      const read = async (embed: string) => {
        const { body } = await client.call('GET', `/contacts/${contact.body.id}?embed=${embed}`);
        return body;
      };
      return { a, b, lastname, contact: contact.body as { id: number; external_id: string }, read };
    };
    type Cast = Awaited<ReturnType<typeof cast>>;
    /** A client that is the contact's afterwards, or the error. */
    type Outcome = 'a' | 'b' | readonly [field: string, code: string];
    const cases: [label: string, body: (cast: Cast) => object | Promise<object>, change: Outcome, create: Outcome][] = [
      ['another by external id', ({ b }) => ({ client: { external_id: b.external } }), 'b', 'b'],
      ['the same by external id', ({ a }) => ({ client: { external_id: a.external } }), 'a', 'a'],
      ['another by the relation’s full name', ({ b }) => ({ contactClient: { external_id: b.external } }), 'b', 'b'],
      [
        'one that does not exist',
        () => ({ client: { external_id: 'none' } }),
        ['client', 'reference_not_found'],
        ['client', 'reference_not_found'],
      ],
      [
        'a mistyped member',
        ({ b }) => ({ client: { externalId: b.external } }),
        ['client', 'unknown_field'],
        ['client', 'unknown_field'],
      ],
      ['the whole record as it was read', ({ read }) => read('client'), 'a', ['client', 'read_only']],
      [
        'the whole record, changed',
        async ({ read }) => ({ client: { ...(await read('client')).client, company: 'X' } }),
        'a',
        ['client', 'read_only'],
      ],
      [
        'some values as they were read',
        async ({ read }) => ({ client: (await read('client.company,client.status')).client }),
        'a',
        ['client', 'read_only'],
      ],
      [
        'its external id as it was read',
        async ({ read }) => ({ client: (await read('client.external_id')).client }),
        'a',
        'a',
      ],
      ['some values, changed', () => ({ client: { company: 'X' } }), ['client', 'read_only'], ['client', 'read_only']],
      [
        'another whole record',
        ({ b }) => ({ client: { id: b.id, external_id: b.external } }),
        ['client', 'read_only'],
        ['client', 'read_only'],
      ],
      [
        'another by external id, with more',
        ({ b }) => ({ client: { external_id: b.external, company: 'X' } }),
        ['client', 'read_only'],
        ['client', 'read_only'],
      ],
      ['null', () => ({ client: null }), ['client_id', 'not_empty'], ['client_id', 'not_empty']],
      ['an empty object', () => ({ client: {} }), ['client', 'invalid_type'], ['client', 'invalid_type']],
      ['a number', ({ b }) => ({ client: b.id }), ['client', 'invalid_type'], ['client', 'invalid_type']],
      [
        'an array',
        ({ b }) => ({ client: [{ external_id: b.external }] }),
        ['client', 'invalid_type'],
        ['client', 'invalid_type'],
      ],
      [
        'an external id that is a number',
        () => ({ client: { external_id: 7 } }),
        ['client', 'invalid_type'],
        ['client', 'invalid_type'],
      ],
      [
        'an id that is a string',
        ({ a }) => ({ client: { id: String(a.id) } }),
        ['client', 'invalid_type'],
        ['client', 'invalid_type'],
      ],
      [
        'the record as it was read, beside another id',
        async ({ b, read }) => ({ client: (await read('client')).client, client_id: b.id }),
        'b',
        ['client', 'read_only'],
      ],
      ['a reference twice', ({ b }) => ({ client: { external_id: b.external }, client_id: b.id }), 'b', 'b'],
      [
        'two references',
        ({ a, b }) => ({ client: { external_id: b.external }, contactClient: { external_id: a.external } }),
        'b',
        ['contactClient', 'read_only'],
      ],
      [
        'a reference and another id',
        ({ a, b }) => ({ client: { external_id: b.external }, client_id: a.id }),
        ['client', 'read_only'],
        ['client', 'read_only'],
      ],
      [
        'records that refer to it, as they were read',
        async ({ read, a }) => ({ events: (await read('events')).events, client_id: a.id }),
        'a',
        'a',
      ],
      [
        'records that refer to it, with a mistyped member',
        ({ a }) => ({ events: [{ nme: 'X' }], client_id: a.id }),
        ['events', 'unknown_field'],
        ['events', 'unknown_field'],
      ],
      [
        'no array of records',
        ({ a }) => ({ events: { id: 1 }, client_id: a.id }),
        ['events', 'invalid_type'],
        ['events', 'invalid_type'],
      ],
    ];

    /** Asserts what has become of a write; `written`: the id of the contact's client. */
    const check = (
      outcome: Outcome,
      cast: Cast,
      response: { written?: number | undefined; errors?: readonly { field: string; code: string }[] | undefined },
    ) => {
      const shown = response.errors?.map(({ field, code }) => `${field} ${code}`);
      if (typeof outcome === 'string') assert.deepEqual([shown, response.written], [undefined, cast[outcome].id]);
      else assert.deepEqual(shown, [outcome.join(' ')]);
    };
    const outcomeOf = ({ body }: ApiResponse) => ({ written: body.client_id, errors: body.errors });

    for (const [label, bodyOf, change, create] of cases)
      it(`${label}: alike in POST, PUT, upserts and imports`, async () => {
        const scene = await cast();
        const importer = new Importer(app);
        const body = await bodyOf(scene);
        // Only what the record has already can be sent with a body of its own.
        const only = (names: object) =>
          Object.fromEntries(
            Object.entries(names).filter(([name]) => ['client', 'contactClient', 'client_id', 'events'].includes(name)),
          );
        const isWhole = 'lastname' in body;
        const fresh = () => ({
          ...only(isWhole ? { client: (body as unknown as { client: unknown }).client } : body),
          lastname: scene.lastname,
        });
        const rows = async (row: object) => {
          const { results } = await importer.import(client, '/contacts/import', [row]);
          const [{ id, errors }] = results;
          if (errors.length > 0) return { errors };
          return { written: (await client.call('GET', `/contacts/${id}`)).body.client_id };
        };

        check(create, scene, outcomeOf(await client.call('POST', '/contacts', { body: fresh() })));
        check(create, scene, outcomeOf(await put(`/contacts/external/${newId()}`, fresh())));
        check(create, scene, await rows({ ...fresh(), external_id: newId() }));

        const { id, external_id } = scene.contact;
        const again = async () => void (await put(`/contacts/${id}`, { client_id: scene.a.id }));
        check(change, scene, outcomeOf(await put(`/contacts/${id}?dry_run=true`, body)));
        check(change, scene, outcomeOf(await put(`/contacts/${id}`, body)));
        await again();
        check(change, scene, outcomeOf(await put(`/contacts/external/${external_id}`, body)));
        await again();
        check(change, scene, await rows({ id, ...body }));
        await again();
        check(change, scene, await rows({ external_id, ...body }));
      });

    it('clears a reference that can be empty, and not one that bodies do not write', async () => {
      const location = await client.call('POST', '/locations', { body: { name: newId(), external_id: newId() } });
      const staffing = new Staffing(client);
      const shift = await staffing.shift(...friday);
      const place = { location: { external_id: location.body.external_id } };
      assert.equal((await put(`/event-functions/${shift}`, place)).body.location_id, location.body.id);
      assert.equal((await put(`/event-functions/${shift}`, { location: null })).body.location_id, null);
      assert.equal((await put(`/event-functions/${shift}`, { location: null })).status, 200);

      const id = await staffing.assignment(await staffing.employee(), shift);
      const { body } = await client.call('GET', `/assignments/${id}?embed=employee,event,project,venue,checkins`);
      assert.deepEqual([body.venue, body.employee.id > 0], [null, true]);
      assert.equal((await put(`/assignments/${id}`, body)).status, 200);
      const other = await put(`/employees/external/${newId()}`, { firstname: 'E', lastname: 'O' });
      for (const employee of [{ external_id: other.body.external_id }, { id: other.body.id }, null])
        assert.deepEqual(errorsOf(await put(`/assignments/${id}`, { employee })), [['employee', 'read_only']]);
      assert.deepEqual(errorsOf(await put(`/assignments/${id}`, { event: { ...body.event, id: 1 } })), [
        ['event', 'read_only'],
      ]);
      assert.deepEqual(errorsOf(await put(`/assignments/${id}`, { event: null })), [['event', 'read_only']]);
    });

    it('is compared with what the caller sees, without the resources and fields that are hidden from it', async () => {
      const { contact, a } = await cast();
      const limited = await userWith({ scopes: ['contacts:read', 'contacts:write'] });
      const body = { client: { company: `Company ${a.external}` } };
      assert.equal((await put(`/contacts/${contact.id}`, body)).status, 200);
      const response = await limited(`/contacts/${contact.id}`, body);
      assert.deepEqual(errorsOf(response), [['client', 'read_only']]);
      const masked = await userWith({ hidden: ['contact'] });
      const city = await masked(`/contacts/${contact.id}`, { client: { zip: null } });
      assert.equal(city.status, 200, city.text);
    });

    it('is what a change request can set, too', async () => {
      const { contact, b } = await cast();
      const ask = (field: string, new_value: unknown) =>
        client.call('POST', '/change-requests', {
          body: { entity: 'contacts', entity_id: contact.id, changes: [{ field, new_value }] },
        });
      const made = await ask('client', { external_id: b.external });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual([made.body.changes[0].field, made.body.changes[0].new_value], ['client_id', b.id]);
      for (const [value, code] of [
        [{ externalId: b.external }, 'unknown_field'],
        [{ external_id: 'none' }, 'reference_not_found'],
        [{ id: b.id }, 'read_only'],
        [null, 'not_empty'],
        [{}, 'invalid_type'],
      ] as const)
        assert.deepEqual(errorsOf(await ask('client', value)), [['changes.0.new_value', code]]);
      const decided = await put(`/change-requests/${made.body.id}/decision`, { status: 2 });
      assert.equal(decided.status, 200, decided.text);
      assert.equal((await client.call('GET', `/contacts/${contact.id}`)).body.client_id, b.id);
    });
  });
});
