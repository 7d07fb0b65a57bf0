import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { countTrips } from '../../db/trips.ts';
import { type Answer, type Client, startApp } from '../../support/app.ts';
import { inMemory, scratchUrl } from '../../support/database.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { operations, violations } from '../../support/operations.ts';
import { errorsOf, Staffing } from '../staffing/scene.ts';

const [start, pause, resume, end] = ['2026-06-12T16:00:00Z', '2026-06-12T19:00:00Z', '2026-06-12T19:30:00Z', '2026-06-12T22:00:00Z']; // biome-ignore format: one line
const signed_at = '2026-06-12T22:10:00Z';

interface Item {
  readonly assignment_id: number;
  readonly work_times: readonly object[];
  readonly wages?: readonly object[];
}

/** An event with a contact and a planner, its own or its project's, and people to work at it. */
class Site {
  readonly client: Client;
  readonly staffing: Staffing;
  contact = 0;
  planner = 0;
  project = 0;
  profile = 0;
  job = 0;

  constructor(client: Client, staffing: Staffing) {
    this.client = client;
    this.staffing = staffing;
  }

  async make(resource: string, body: object): Promise<number> {
    const answer = await this.client.call('POST', `/${resource}`, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  }

  async prepare(): Promise<this> {
    const client_id = await this.make('clients', { company: 'Hotel' });
    this.contact = await this.make('contacts', { client_id, firstname: 'Jana', lastname: 'Petersen', email: 'jana@hotel.example' }); // biome-ignore format: one line
    this.planner = await this.make('planners', { first_name: 'Mirjam', last_name: 'Okafor' });
    this.project = await this.make('projects', { name: 'P', client_id, contact_id: this.contact, planner_id: this.planner }); // biome-ignore format: one line
    this.job = await this.make('functions', { name: 'Service' });
    this.profile = await this.make('wage-profiles', { name: 'Terms', wage_types: [{ id: 3, name: 'Meal', value: 12, unit: 'piece' }] }); // biome-ignore format: one line
    return this;
  }

  event(changes: object = {}): Promise<number> {
    return this.staffing.event(start as string, end as string, { project_id: this.project, ...changes });
  }

  employee(): Promise<number> {
    return this.staffing.employee({ wage_profile_id: this.profile });
  }

  place(event: number, changes: object = {}): Promise<number> {
    return this.staffing.place(event, { function_id: this.job, ...changes });
  }

  async assignment(event: number, status = 6): Promise<number> {
    return this.staffing.assignment(await this.employee(), await this.place(event), status);
  }

  /** Work signed by the contact. */
  sign(items: readonly Item[], changes: object = {}, query = ''): Promise<Answer> {
    const approver = { type: 'contact', id: this.contact };
    const body = { approver, signed_at, method: 'signature', items, ...changes };
    return this.client.call('POST', `/assignments/signed-work-data${query}`, { body });
  }
}

forEachApp((client, app) => {
  let site: Site;

  before(async () => {
    site = await new Site(client, new Staffing(client)).prepare();
  });

  const rows = async (resource: string, id: number) =>
    (await client.call('GET', `/${resource}?assignment_id=${id}`)).body as readonly Record<string, unknown>[];
  const approvers = async (id: number) => (await client.call('GET', `/assignments/${id}/signed-work-data-approvers`)).body; // biome-ignore format: one line
  const whole = { start, end, break_start: pause, break_end: resume };

  describe('approvers', () => {
    it("are the project's contact and planner and the leaders of the event's team, the first by default", async () => {
      const event = await site.event({ configurations: { signed_work_data: { methods: ['pin'] } } });
      const leading = await site.make('functions', { name: 'Leader', project_leader: 1 });
      const leader = await site.staffing.employee({ firstname: 'Ada', lastname: 'Noor', email: 'ada@staff.example' });
      const place = await site.place(event, { function_id: leading });
      const led = await site.staffing.assignment(leader, place, 6);
      await site.staffing.assignment(await site.employee(), place, 1);
      const id = await site.assignment(event);
      const contact = { type: 'contact', id: site.contact, first_name: 'Jana', last_name: 'Petersen', email: 'jana@hotel.example', methods: ['pin'], is_default: 1 }; // biome-ignore format: one line
      const planner = { type: 'planner', id: site.planner, first_name: 'Mirjam', last_name: 'Okafor', email: null, methods: ['pin'], is_default: 0 }; // biome-ignore format: one line
      const team = { type: 'team_leader', id: leader, first_name: 'Ada', last_name: 'Noor', email: 'ada@staff.example', methods: ['pin'], is_default: 0 }; // biome-ignore format: one line
      assert.deepEqual(await approvers(id), [contact, planner, team]);
      assert.deepEqual(await approvers(led), [contact, planner], 'no one signs for their own work');
      assert.equal((await client.call('GET', '/assignments/999999999/signed-work-data-approvers')).status, 404);
      const { text } = await client.call('GET', `/assignments/${id}/signed-work-data-approvers.xml`);
      assert.match(text, /<approvers>\s*<item>\s*<type>contact<\/type>/);
    });

    it("are the event's own where it has some, and none who is out of use", async () => {
      const planner = await site.make('planners', { first_name: 'B', last_name: 'C' });
      const id = await site.assignment(await site.event({ planner_id: planner }));
      const shown = async () => (await approvers(id)).map(({ type, id }: { type: string; id: number }) => [type, id]);
      assert.deepEqual(await shown(), [['contact', site.contact], ['planner', planner]]); // biome-ignore format: one line
      await client.call('PUT', `/planners/${planner}`, { body: { status: 2 } });
      assert.deepEqual(await shown(), [['contact', site.contact]]);
    });

    it('are also where they used to be, which is marked as deprecated', async () => {
      const id = await site.assignment(await site.event({ configurations: { signed_work_data: { enabled: 1 } } }));
      const { body, headers } = await client.call('GET', `/assignments/${id}/signed-work-data`);
      assert.deepEqual(body, { assignment_id: id, enabled: 1, methods: ['signature', 'pin'], approvers: await approvers(id) }); // biome-ignore format: one line
      assert.match(String(headers.deprecation), /^@\d+$/);
      assert.equal(headers.link, `</api/v1/assignments/${id}/signed-work-data-approvers>; rel="successor-version"`);
    });
  });

  describe('signed work', () => {
    it('becomes open proposals, and is answered with the assignments in the order of the items', async () => {
      const event = await site.event({ configurations: { signed_work_data: { enabled: 1 }, confirmation: { enabled: 0 } } }); // biome-ignore format: one line
      const [first, second] = [await site.assignment(event), await site.assignment(event)];
      const halves = [{ start, end: pause }, { start: resume, end }]; // biome-ignore format: one line
      const answer = await site.sign(
        [
          { assignment_id: second, work_times: halves, wages: [{ wage_type_id: 3, value: 1.5 }] },
          { assignment_id: first, work_times: [{ ...whole, start: '2026-06-12 18:00:00' }] },
        ],
        { remarks: 'Late guests' },
      );
      const operation = operations.find(({ operationId }) => operationId === 'assignments_signWorkData');
      assert.ok(operation);
      assert.deepEqual([answer.status, violations(operation, 200, answer.body)], [200, []], answer.text);
      assert.deepEqual(answer.body.map(({ id }: { id: number }) => id), [second, first]); // biome-ignore format: one line
      assert.deepEqual(answer.body[0].open_actions.actions, []);
      const signature = { status: 1, remarks: 'Late guests', signed_by_type: 'contact', signed_by_id: site.contact, signed_at, signature_file_id: null, decided_at: null }; // biome-ignore format: one line
      const told = await rows('work-time-proposals', second);
      assert.equal(told.length, 2);
      for (const [index, row] of told.entries()) assert.deepEqual({ ...row, ...halves[index], ...signature }, row);
      const [only] = await rows('work-time-proposals', first);
      assert.deepEqual({ ...only, ...whole, ...signature }, only, 'a time without an offset is in the time zone of the tenant'); // biome-ignore format: one line
      const [wage] = await rows('wage-proposals', second);
      assert.deepEqual([wage?.wage_type_id, wage?.value, wage?.status, wage?.remarks], [3, 1.5, 1, 'Late guests']);
      const { body: history } = await client.call('GET', `/assignments/${second}/history`);
      const { action, data } = history.at(-1);
      assert.deepEqual([action, data], ['signature', { approver: { type: 'contact', id: site.contact }, method: 'signature', signed_at }]); // biome-ignore format: one line
    });

    it('is stored once for an Idempotency-Key, and not at all in a dry run', async () => {
      const id = await site.assignment(await site.event());
      const items = [{ assignment_id: id, work_times: [whole] }];
      const rehearsed = await site.sign(items, {}, '?dry_run=true');
      assert.deepEqual([rehearsed.status, rehearsed.body[0].id], [200, id]);
      assert.deepEqual(await rows('work-time-proposals', id), []);
      const body = { approver: { type: 'planner', id: site.planner }, signed_at, method: 'pin', items };
      const asked = { headers: { 'Idempotency-Key': `signed-${id}` }, body };
      for (let count = 0; count < 2; count++) assert.equal((await client.call('POST', '/assignments/signed-work-data', asked)).status, 200); // biome-ignore format: one line
      assert.equal((await rows('work-time-proposals', id)).length, 1);
    });

    it('is refused as a whole, with everything that stands against it', async () => {
      const event = await site.event();
      const [good, approved] = [await site.assignment(event), await site.assignment(event)];
      await client.call('PUT', `/assignments/${approved}/approve`, { body: { approved_by_planner_id: site.planner } });
      const answer = await site.sign(
        [
          {
            assignment_id: good,
            work_times: [whole, { start, end: '2026-06-12T15:00:00Z' }, { start: '2026-02-30', end }],
          },
          { assignment_id: approved, work_times: [{ start: end, end: '2026-06-14T23:00:00Z' }], wages: [{ wage_type_id: 9, value: 1.23456 }] }, // biome-ignore format: one line
          { assignment_id: 999_999_999, work_times: [{ start, end, break_start: pause }] },
          { assignment_id: good, work_times: [] },
        ],
        { signed_at: '2026-13-01', signature_file_id: 999_999_999, approver: { type: 'planner', id: 999_999_999 } },
      );
      assert.deepEqual(errorsOf(answer).sort(), [
        ['assignment_approved', 'items.1.assignment_id'],
        ['end_before_start', 'items.0.work_times.1.end'],
        ['invalid_format', 'items.0.work_times.2.start'],
        ['invalid_format', 'items.1.wages.0.value'],
        ['invalid_format', 'signed_at'],
        ['not_empty', 'items.2.work_times.0.break_end'],
        ['not_empty', 'items.3.work_times'],
        ['not_unique', 'items.3.assignment_id'],
        ['out_of_range', 'items.1.work_times.0.end'],
        ['reference_not_found', 'approver.id'],
        ['reference_not_found', 'items.1.wages.0.wage_type_id'],
        ['reference_not_found', 'items.2.assignment_id'],
        ['reference_not_found', 'signature_file_id'],
      ]);
      for (const id of [good, approved]) assert.deepEqual(await rows('work-time-proposals', id), []);
    });

    it('is refused with the same paths where the form of the body is wrong', async () => {
      const id = await site.assignment(await site.event());
      const answer = await site.sign([
        {
          assignment_id: id,
          work_times: [
            { start, end },
            { start, end: 5 },
          ],
        },
      ]);
      assert.deepEqual(errorsOf(answer), [['invalid_type', 'items.0.work_times.1.end']]);
      assert.deepEqual(errorsOf(await site.sign([])), [['not_empty', 'items']]);
      const many = Array.from({ length: 501 }, (__, index) => ({ assignment_id: index + 1, work_times: [] }));
      assert.deepEqual(errorsOf(await site.sign(many)), [['too_many_items', 'items']]);
      const [item] = [{ assignment_id: id, work_times: [whole] }];
      assert.deepEqual(errorsOf(await site.sign([item], { method: 'stamp' })), [['not_in_enumeration', 'method']]);
      assert.deepEqual(errorsOf(await site.sign([item], { remarks: 'a\0b' })), [['invalid_character', 'remarks']]);
      assert.deepEqual(errorsOf(await site.sign([item], { nonsense: 1 })), [['unknown_field', 'nonsense']]);
    });

    it('is refused in a way of signing that is not offered, and of those whose approver it is not', async () => {
      const id = await site.assignment(
        await site.event({ configurations: { signed_work_data: { methods: ['pin'] } } }),
      );
      const other = await site.assignment(await site.event({ contact_id: await site.make('contacts', { client_id: await site.make('clients', { company: 'C' }), lastname: 'D' }) })); // biome-ignore format: one line
      const answer = await site.sign([{ assignment_id: id, work_times: [whole] }, { assignment_id: other, work_times: [whole] }]); // biome-ignore format: one line
      const told = answer.body.errors.map(({ field, assignment_ids }: Record<string, unknown>) => [
        field,
        assignment_ids,
      ]);
      assert.deepEqual(told, [['approver.id', [other]], ['method', [id]]]); // biome-ignore format: one line
    });

    it('is refused where its times overlap, or an assignment is paid', async () => {
      const id = await site.assignment(await site.event());
      const touching = [{ start, end: pause }, { start: pause, end }]; // biome-ignore format: one line
      const overlapping = [...touching, { start: '2026-06-12T18:00:00Z', end: '2026-06-12T18:30:00Z' }];
      assert.deepEqual(errorsOf(await site.sign([{ assignment_id: id, work_times: overlapping }])), [['overlapping_work_time', 'items.0.work_times.2.start']]); // biome-ignore format: one line
      assert.equal((await site.sign([{ assignment_id: id, work_times: touching }])).status, 200);
      await client.call('PUT', `/assignments/${id}/approve`, { body: { approved_by_planner_id: site.planner } });
      await client.call('PUT', `/assignments/${id}/pay`, { body: { paid_on: end } });
      assert.deepEqual(errorsOf(await site.sign([{ assignment_id: id, work_times: [] , wages: [{ wage_type_id: 3, value: 1 }] }])), [['assignment_paid', 'items.0.assignment_id']]); // biome-ignore format: one line
    });

    it('has wages of known terms only, and of tenants with payroll', async () => {
      const wages = [{ wage_type_id: 3, value: 1 }];
      const employee = await site.staffing.employee({ wage_profile_id: null });
      const id = await site.staffing.assignment(employee, await site.place(await site.event()), 6);
      assert.deepEqual(errorsOf(await site.sign([{ assignment_id: id, work_times: [], wages }])), [['wage_profile_missing', 'items.0.wages.0.wage_type_id']]); // biome-ignore format: one line
      const poor = await app.newClient({ modules: new Set(['checkins']) });
      const body = { approver: { type: 'contact', id: 1 }, signed_at, method: 'pin', items: [{ assignment_id: 1, work_times: [], wages }] }; // biome-ignore format: one line
      const answer = await poor.call('POST', '/assignments/signed-work-data', { body });
      assert.deepEqual([answer.status, answer.body.code], [403, 'module_disabled']);
    });

    it("of another tenant's assignment is as if that had never been", async () => {
      const other = await app.newClient();
      const foreign = await new Site(other, new Staffing(other)).prepare();
      const id = await foreign.assignment(await foreign.event());
      const of = async (assignment_id: number, contact: number) =>
        (await site.sign([{ assignment_id, work_times: [whole] }], { approver: { type: 'contact', id: contact } })).body.errors; // biome-ignore format: one line
      assert.deepEqual(
        JSON.stringify(await of(id, foreign.contact)).replaceAll(String(id), '#'),
        JSON.stringify(await of(999_999_999, 999_999_998)).replaceAll('999999999', '#'),
      );
      const own = await site.assignment(await site.event());
      assert.deepEqual((await of(own, foreign.contact)).map(({ field }: { field: string }) => field), ['approver.id']); // biome-ignore format: one line
    });
  });
});

it('signed work of many assignments takes no trip to the database for each of them', async () => {
  await using proxy = await countTrips(await scratchUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url, poolSize: 1 });
  await database.migrate();
  const app = await startApp(database);
  const client = await app.newClient();
  const site = await new Site(client, new Staffing(client)).prepare();
  const event = await site.event();
  const place = await site.place(event, { quantity: 40 });
  const items: Item[] = [];
  for (let count = 0; count < 12; count++) {
    const assignment_id = await site.staffing.assignment(await site.employee(), place, 6);
    items.push({ assignment_id, work_times: [{ start, end }], wages: [{ wage_type_id: 3, value: 1 }] });
  }
  const tripsOf = async (some: readonly Item[]): Promise<number> => {
    const before = proxy.trips;
    assert.equal((await site.sign(some)).status, 200);
    return proxy.trips - before;
  };
  await tripsOf(items.slice(0, 1));
  // An answer that comes in parts may count as two.
  assert.ok((await tripsOf(items)) < (await tripsOf(items.slice(0, 1))) + 6);
  await app.close();
  await database.close();
});
