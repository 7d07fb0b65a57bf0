import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Tenant } from '../../../src/core/principal.ts';
import type { Transaction } from '../../../src/db/database.ts';
import { newId } from '../../../src/db/ids.ts';
import { forEachDatabase, newTenant } from '../../support/database.ts';

forEachDatabase((_, getDatabase) => {
  let tenant: Tenant;
  let ids: Awaited<ReturnType<typeof fill>>;
  const work = <T>(task: (kysely: Transaction['kysely']) => Promise<T>): Promise<T> =>
    getDatabase()
      .forTenant(tenant)
      .transaction(({ kysely }) => task(kysely));
  const assignment = () => work(kysely => kysely.selectFrom('assignments_view').selectAll().executeTakeFirstOrThrow());

  before(async () => {
    tenant = await newTenant(getDatabase());
    ids = await getDatabase().forTenant(tenant).transaction(fill);
  });

  test("an event has its project's client, contact, planner and configurations where it has none", async () => {
    const event = await work(kysely => kysely.selectFrom('events_view').selectAll().executeTakeFirstOrThrow());
    assert.deepEqual([event.client_id, event['contact.first_name']], [ids.client, 'Jana']);
    assert.deepEqual(event.configurations, { checkins: { enabled: 1, minutes_before: 30 } });
    assert.equal((await assignment()).client_id, ids.client);
  });

  test('the place is that of the event function, or else that of the event', async () => {
    const { location_id, location } = await assignment();
    assert.deepEqual([location_id, location], [ids.location, 'Seeufer 8, 18055 Rostock']);
  });

  test('statistics tell the places, until a text is written in their place', async () => {
    assert.equal((await assignment()).statistics, '1/4');
    await work(kysely => kysely.updateTable('assignments').set({ statistics: 'full' }).execute());
    assert.equal((await assignment()).statistics, 'full');
    await work(kysely => kysely.updateTable('assignments').set({ statistics: null }).execute());
  });

  test('configurations are merged section by section from the defaults and the project', async () => {
    const { configurations, id } = await assignment();
    const { assignment_id, checkins, confirmation } = JSON.parse(configurations);
    assert.deepEqual([assignment_id, confirmation], [id, { enabled: 1 }]);
    assert.deepEqual(checkins, { enabled: 1, required_types: [1, 4], minutes_before: 30, minutes_after: 120 });
  });

  test('a project lasts as long as its events', async () => {
    const { start, end } = await work(kysely =>
      kysely.selectFrom('projects_view').selectAll().executeTakeFirstOrThrow(),
    );
    assert.deepEqual([start, end], ['2026-06-12T14:00:00Z', '2026-06-13T01:00:00Z']);
  });

  test('what is still to be done is looked up for each assignment, and nothing of the whole tenant is hashed for a page', async () => {
    const plain = (text: string) => ({ name: null, text, values: [] });
    const [, , plan] = await getDatabase()
      .forTenant(tenant)
      // Every lookup is dear: whatever can be hashed is.
      .read(
        plain('set local enable_indexscan = off'),
        plain('set local enable_bitmapscan = off'),
        plain('explain (verbose, costs off) select open_actions from assignments_view limit 50'),
      );
    const lines = plan?.rows.map(([line]) => line).join('\n') ?? '';
    assert.match(lines, /SubPlan/);
    assert.doesNotMatch(lines, /hashed SubPlan/);
  });

  test('a listing of projects without their times reads no events', async () => {
    const plan = (columns: string) =>
      getDatabase()
        .forTenant(tenant)
        .read({
          name: null,
          text: `explain select ${columns} from projects_view where tenant_id = $1 order by id limit 51`,
          values: [String(tenant.id)],
        });
    const textOf = ([result]: Awaited<ReturnType<typeof plan>>) => result?.rows.join('\n') ?? '';
    assert.doesNotMatch(textOf(await plan('id, name, "client.company"')), /events/);
    assert.match(textOf(await plan('id, start')), /events/);
  });

  test('joins that a query does not use are dropped', async () => {
    const [plan] = await getDatabase()
      .forTenant(tenant)
      .read({
        name: null,
        text: 'explain select id from assignments_view where tenant_id = $1 and status = 6',
        values: [String(tenant.id)],
      });
    const text = plan?.rows.join('\n') ?? '';
    const version = await sql<{
      major: number;
    }>`select current_setting('server_version_num')::integer / 10000 as major`.execute(getDatabase().system);
    assert.match(text, /assignments/);
    // Postgres 15 keeps those that the condition of another dropped join names.
    const dropped =
      Number(version.rows[0]?.major) < 18 ? /locations|contacts|planners|employees/ : /Join|event_functions|events/;
    assert.doesNotMatch(text, dropped);
  });
});

/** One record of each kind, in one chain. */
const fill = async (transaction: Transaction) => {
  const { kysely } = transaction;
  const client = await idOf(
    kysely
      .insertInto('clients')
      .values({ id: await newId(transaction, 'clients'), company: 'Nordlicht' })
      .returning('id'),
  );
  const contact = await idOf(
    kysely
      .insertInto('contacts')
      .values({ id: await newId(transaction, 'contacts'), client_id: client, firstname: 'Jana', lastname: 'Petersen' })
      .returning('id'),
  );
  const location = await idOf(
    kysely
      .insertInto('locations')
      .values({
        id: await newId(transaction, 'locations'),
        name: 'Halle',
        line_1: 'Seeufer 8',
        line_2: '',
        zip: '18055',
        city: 'Rostock',
      })
      .returning('id'),
  );
  const configurations = JSON.stringify({ checkins: { enabled: 1, minutes_before: 30 } });
  const project = await idOf(
    kysely
      .insertInto('projects')
      .values({
        id: await newId(transaction, 'projects'),
        name: 'Party',
        client_id: client,
        contact_id: contact,
        configurations,
      })
      .returning('id'),
  );
  const event = await idOf(
    kysely
      .insertInto('events')
      .values({
        id: await newId(transaction, 'events'),
        project_id: project,
        name: 'Evening',
        location_id: location,
        start: '2026-06-12T14:00:00Z',
        end: '2026-06-13T01:00:00Z',
      })
      .returning('id'),
  );
  const job = await idOf(
    kysely
      .insertInto('functions')
      .values({ id: await newId(transaction, 'functions'), name: 'Service' })
      .returning('id'),
  );
  const eventFunction = await idOf(
    kysely
      .insertInto('event_functions')
      .values({
        id: await newId(transaction, 'event_functions'),
        event_id: event,
        function_id: job,
        quantity: 4,
        holding: 1,
        start: '2026-06-12T15:30:00Z',
      })
      .returning('id'),
  );
  const employee = await idOf(
    kysely
      .insertInto('employees')
      .values({ id: await newId(transaction, 'employees'), firstname: 'Tomasz', lastname: 'Lindqvist' })
      .returning('id'),
  );
  await kysely
    .insertInto('assignments')
    .values({
      id: await newId(transaction, 'assignments'),
      employee_id: employee,
      event_function_id: eventFunction,
      status: 6,
      effective_start: '2026-06-12T15:30:00Z',
    })
    .execute();
  return { client, location };
};

const idOf = async (query: { executeTakeFirstOrThrow(): Promise<{ id: number }> }): Promise<number> =>
  (await query.executeTakeFirstOrThrow()).id;
