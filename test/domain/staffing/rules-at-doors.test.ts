import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { automate, deliveriesOf } from '../../automations/scene.ts';
import { Workshop } from '../../automations/work.ts';
import { Importer, send } from '../../imports/importer.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Staffing } from './scene.ts';

/** An evening shift, one ten hours after it, and one far from both. */
const evening = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;
const morning = ['2036-06-13T08:00:00Z', '2036-06-13T12:00:00Z'] as const;
const later = ['2036-06-20T08:00:00Z', '2036-06-20T12:00:00Z'] as const;
const [start, end] = morning;

/** What a write says: the codes of its errors, what it warns of, and the assignment. */
interface Said {
  readonly codes: readonly string[];
  readonly warned: readonly { readonly actual: number }[];
  readonly id: number | null;
}

/** A way to a booking in the morning after an evening shift. */
interface Door {
  readonly name: string;
  /** Prepares the write; the returned function makes it, with a query. */
  readonly open: (room: Room, employee: number, place: number) => Promise<(query: string) => Promise<Said>>;
}

interface Room {
  readonly client: Client;
  readonly staffing: Staffing;
  readonly importer: Importer;
}

const said = ({ status, body, headers }: ApiResponse, id: number | null): Said => ({
  codes: status === 422 ? body.errors.map(({ code }: { code: string }) => code) : [],
  warned: JSON.parse(String(headers['x-warnings'] ?? '[]')),
  id: id ?? (status === 201 ? body.id : null),
});

interface BulkResult {
  readonly assignment_id: number | null;
  readonly error?: { readonly code: string };
  readonly warnings?: Said['warned'];
}

const saidOfOne = ({ status, body, text }: ApiResponse): Said => {
  assert.equal(status, 200, text);
  const [{ error, warnings = [], assignment_id }] = body.results as readonly [BulkResult];
  return { codes: error ? [error.code] : [], warned: warnings, id: assignment_id };
};

/** A write of something of an assignment that exists, with the status before. */
const ofAssignment =
  (status: number, path: (id: number) => string, body: (id: number, place: number) => object, method = 'PUT') =>
  async ({ client, staffing }: Room, employee: number, place: number) => {
    const id = await staffing.assignment(employee, status === 6 ? await staffing.shift(...later) : place, status);
    return async (query: string) => {
      const response = await client.call(method, path(id) + query, { body: body(id, place) });
      return response.body?.results ? saidOfOne(response) : said(response, id);
    };
  };

/** A write of an event or event function with a booking; the event is elsewhere, or does not take place. */
const ofEvent =
  (path: (event: number, place: number) => string, body: object, status = 2) =>
  async ({ client, staffing }: Room, employee: number) => {
    const [from, to] = status === 2 ? later : morning;
    const event = await staffing.event(from, to);
    const place = await staffing.place(event);
    const booking = { employee_id: employee, event_function_id: place, status: 6 };
    const { id } = (await client.call('POST', '/assignments?force=true', { body: booking })).body;
    if (status !== 2) await client.call('PUT', `/events/${event}?force=true`, { body: { status } });
    return async (query: string) => said(await client.call('PUT', path(event, place) + query, { body }), id);
  };

/** The import of one row. */
const ofImport =
  (row: (room: Room, employee: number, place: number) => Promise<readonly [string, object, number | null]>) =>
  async (room: Room, employee: number, place: number) => {
    const { client, importer } = room;
    const [resource, body, id] = await row(room, employee, place);
    return async (query: string): Promise<Said> => {
      const accepted = await send(client, `/${resource}/import${query}`, [body]);
      assert.equal(accepted.status, 202, accepted.text);
      await importer.work(client);
      const { body: results } = await client.call('GET', `/imports/${accepted.body.id}/results`);
      const [{ errors, warnings, id: made }] = results;
      return { codes: errors.map(({ code }: { code: string }) => code), warned: warnings, id: id ?? made };
    };
  };

const doors: readonly Door[] = [
  {
    name: 'a new assignment',
    open:
      async ({ client }, employee_id, event_function_id) =>
      async query =>
        said(
          await client.call('POST', `/assignments${query}`, { body: { employee_id, event_function_id, status: 6 } }),
          null,
        ),
  },
  {
    name: 'a change of an assignment',
    open: ofAssignment(
      1,
      id => `/assignments/${id}`,
      () => ({ status: 6 }),
    ),
  },
  {
    name: 'a change of status',
    open: ofAssignment(
      1,
      id => `/assignments/${id}/status`,
      () => ({ status: 6 }),
    ),
  },
  {
    name: 'a bulk change of status',
    open: ofAssignment(
      1,
      () => '/assignments/status',
      id => ({ assignment_ids: [id], status: 6 }),
    ),
  },
  {
    name: 'an invitation',
    open:
      async ({ client }, employee, event_function_id) =>
      async query =>
        saidOfOne(
          await client.call('POST', `/assignments/bulk${query}`, {
            body: { event_function_id, employee_ids: [employee], status: 6 },
          }),
        ),
  },
  {
    name: 'times of an assignment',
    open: ofAssignment(
      6,
      id => `/assignments/${id}/time`,
      () => ({ start, end }),
    ),
  },
  {
    name: 'a move of an assignment',
    open: ofAssignment(
      6,
      id => `/assignments/${id}/move`,
      (_, place) => ({ event_function_id: place }),
    ),
  },
  { name: 'times of an event function', open: ofEvent((_, place) => `/event-functions/${place}`, { start, end }) },
  { name: 'times of an event', open: ofEvent(event => `/events/${event}`, { start, end }) },
  { name: 'an event that takes place again', open: ofEvent(event => `/events/${event}`, { status: 2 }, 5) },
  {
    name: 'an imported assignment',
    open: ofImport(async (_, employee_id, event_function_id) => [
      'assignments',
      { employee_id, event_function_id, status: 6 },
      null,
    ]),
  },
  {
    name: 'an imported change of an assignment',
    open: ofImport(async ({ staffing }, employee, place) => {
      const id = await staffing.assignment(employee, place, 1);
      return ['assignments', { id, status: 6 }, id];
    }),
  },
  {
    name: 'an imported event',
    open: ofImport(async ({ staffing }, employee) => {
      const event = await staffing.event(...later);
      const id = await staffing.assignment(employee, await staffing.place(event), 6);
      return ['events', { id: event, start, end }, id];
    }),
  },
];

forAnyApp((_, app) => {
  const roomWith = async (mode: string): Promise<Room> => {
    const client = await app.newClient();
    for (const { id } of (await client.call('GET', '/work-rules')).body)
      await client.call('DELETE', `/work-rules/${id}`);
    const staffing = new Staffing(client);
    await staffing.create('work-rules', { name: 'Rest', kind: 'rest', mode, parameters: { minutes: 660 } });
    return { client, staffing, importer: new Importer(app) };
  };
  /** An employee who works in the evening, and an event function in the morning after. */
  const tired = async ({ staffing }: Room, event: object = {}) => {
    const employee = await staffing.employee();
    await staffing.assignment(employee, await staffing.shift(...evening), 6);
    return [employee, await staffing.place(await staffing.event(...morning, event))] as const;
  };
  const opened = async (door: Door, room: Room) => door.open(room, ...(await tired(room)));
  /** Has an automation book the morning, and returns the assignment and what kept it from that. */
  const automated = async (room: Room) => {
    const { client, staffing } = room;
    const [employee, place] = await tired(room);
    const set = ['assignment.set_status', { status: 6 }] as const;
    const automation = await automate(client, ['assignment.status_changed', { to: [3] }], set);
    const id = await staffing.assignment(employee, place, 3);
    await new Workshop(client.database, client.tenant).run({ early: true, rounds: 1 });
    const [delivery] = await deliveriesOf(client, automation);
    await client.call('DELETE', `/automations/${automation}`);
    return { id, error: delivery?.error };
  };
  const historyOf = async ({ client }: Room, id: number | null) =>
    (await client.call('GET', `/assignments/${id}/history`)).body;
  const values = (breaches: readonly { actual: number }[]) => breaches.map(({ actual }) => actual);

  describe('a rule that refuses', () => {
    let room: Room;
    before(async () => {
      room = await roomWith('refuse');
    });

    for (const door of doors)
      it(`rejects ${door.name}, unless it is forced, and a rehearsal alike`, async () => {
        const attempt = await opened(door, room);
        for (const query of ['', '?dry_run=true']) assert.deepEqual((await attempt(query)).codes, ['work_rule'], query);
        assert.deepEqual((await attempt('?force=true&dry_run=true')).codes, []);
        assert.deepEqual((await attempt('')).codes, ['work_rule']);
        const { codes, warned, id } = await attempt('?force=true');
        assert.deepEqual([codes, warned], [[], []]);
        const entry = (await historyOf(room, id)).at(-1);
        assert.deepEqual([entry.overridden, values(entry.data.rules)], [['work_rule'], [600]]);
        assert.equal(entry.data.warned, undefined);
      });

    it('keeps an automation from booking, which does not override it', async () => {
      const { id, error } = await automated(room);
      assert.match(String(error), /work_rule/);
      assert.equal(await room.staffing.statusOf(id), 3);
    });

    it('keeps whoever applies from being assigned automatically, even if forced', async () => {
      const { client, staffing } = room;
      for (const query of ['', '?force=true']) {
        const [employee, place] = await tired(room, { auto_assign_enabled: 1, auto_assign_mode: 'assigned' });
        const id = await staffing.assignment(employee, place, 1);
        const applied = await client.call('POST', `/assignments/${id}/apply${query}`, { body: {} });
        assert.equal(applied.body.status, 3, applied.text);
      }
    });
  });

  describe('a rule that warns', () => {
    let room: Room;
    before(async () => {
      room = await roomWith('warn');
    });

    for (const door of doors)
      it(`warns of ${door.name}, in the history too, and a rehearsal alike`, async () => {
        const attempt = await opened(door, room);
        const rehearsed = await attempt('?dry_run=true');
        assert.deepEqual([rehearsed.codes, values(rehearsed.warned)], [[], [600]]);
        const made = await attempt('');
        assert.deepEqual([made.codes, made.warned], [[], rehearsed.warned]);
        const entry = (await historyOf(room, made.id)).at(-1);
        assert.deepEqual([entry.overridden, entry.data.warned], [[], made.warned]);
        assert.equal(entry.data.rules, undefined);
      });

    it('lets an automation book, and the history warns', async () => {
      const { id } = await automated(room);
      assert.equal(await room.staffing.statusOf(id), 6);
      assert.deepEqual(values((await historyOf(room, id)).at(-1).data.warned), [600]);
    });

    it('warns of an application that is assigned automatically', async () => {
      const { client, staffing } = room;
      for (const auto_assign_mode of ['assigned', 'provisional']) {
        const [employee, place] = await tired(room, { auto_assign_enabled: 1, auto_assign_mode });
        const id = await staffing.assignment(employee, place, 1);
        const applied = await client.call('POST', `/assignments/${id}/apply`, { body: {} });
        const booked = auto_assign_mode === 'assigned';
        assert.equal(applied.body.status, booked ? 6 : 5, applied.text);
        assert.deepEqual(values(said(applied, id).warned), booked ? [600] : []);
        assert.deepEqual(values((await historyOf(room, id)).at(-1).data.warned ?? []), booked ? [600] : []);
      }
    });
  });
});
