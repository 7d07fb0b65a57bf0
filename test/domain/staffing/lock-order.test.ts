import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl, onEachNode } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { Staffing } from './scene.ts';

const shifts = [
  ['2026-06-12T08:00:00Z', '2026-06-12T12:00:00Z'],
  ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'],
] as const;
const [morning, evening] = shifts;

type Request = readonly [method: string, path: string, body?: object];

/** Returns the number of deadlocks in a database, which its connections report when they close. */
const deadlocksOf = async (url: string): Promise<number> => {
  const name = new URL(url).pathname.slice(1);
  // The nodes of a cluster have connections of their own, as its superuser, which stay.
  const open = `select from pg_stat_activity where datname = '${name}' and backend_type = 'client backend'
    and (application_name not like 'citus%' or usename like 'staffing%')`;
  await until('no connection is open', async () => (await onEachNode(open)).length === 0);
  const rows = await onEachNode(`select deadlocks::int from pg_stat_database where datname = '${name}'`);
  return rows.reduce((sum, { deadlocks }) => sum + deadlocks, 0);
};

it('writes of staffing, work and pay that take the same records in opposite orders never deadlock', async () => {
  const url = await migratedUrl();
  const database = openDatabase({ ...inMemory, url, poolSize: 16 });
  const app = await startApp(database);
  const client = await app.newClient();
  const staffing = new Staffing(client);
  const planner = await staffing.planner();
  const events = [await staffing.event(...morning), await staffing.event(...evening)];
  const places: number[] = [];
  for (const event of [...events, ...events]) places.push(await staffing.place(event, { quantity: 20 }));
  const employees = await Promise.all(Array.from({ length: 6 }, () => staffing.employee()));
  const ids: number[] = [];
  for (const employee of employees)
    for (const place of places.slice(0, 2)) ids.push(await staffing.assignment(employee, place, 6));
  const shared = ids.slice(-2);
  const [first, second] = shared as [number, number];
  const works = await Promise.all(
    shared.map((id, index) =>
      staffing.create('work-times', {
        event_function_employee_id: id,
        start: shifts[index]?.[0],
        end: shifts[index]?.[1],
      }),
    ),
  );
  const reversed = ids.toReversed();
  const requests = (round: number): Request[] => [
    ['PUT', '/assignments/status', { assignment_ids: ids, status: [6, 5][round % 2] }],
    ['PUT', '/assignments/status', { assignment_ids: reversed, status: [5, 6][round % 2] }],
    ...events.map(
      (event, index): Request => [
        'PUT',
        `/events/${event}`,
        { end: shifts[index]?.[1].replace('00:00Z', `0${round % 6}:00Z`) },
      ],
    ),
    ...places.map(
      (place, index): Request => ['PUT', `/event-functions/${place}`, { quantity: 20 + ((index + round) % 3) }],
    ),
    ['PUT', `/event-functions/${places[2]}`, { event_id: events[round % 2] }],
    ['PUT', `/event-functions/${places[3]}`, { event_id: events[(round + 1) % 2] }],
    ['PUT', `/assignments/${first}/approve`, { approved_by_planner_id: round % 2 ? null : planner }],
    ['PUT', `/assignments/${second}/approve`, { approved_by_planner_id: round % 2 ? null : planner }],
    ['PUT', `/assignments/${second}/time`, { end: evening[1] }],
    ...works.map((work): Request => ['PUT', `/work-times/${work}`, { break_start: null }]),
    ...ids.map(
      (id, index): Request => [
        'POST',
        '/livestamps',
        { assignment_id: id, type: 1, timestamp: shifts[index % 2]?.[0] },
      ],
    ),
    ['POST', '/work-time-proposals', { assignment_id: first, start: morning[0], end: morning[1] }],
    [
      'POST',
      '/paysheets',
      { assignment_id: second, currency: 'EUR', period_start: '2026-06-01', period_end: '2026-06-30' },
    ],
    ...[first, second].map(
      (id): Request => ['PUT', `/assignments/${id}/move`, { event_function_id: places[round % 4] }],
    ),
    ...[employees, employees.toReversed()].map(
      (employee_ids, index): Request => [
        'POST',
        '/assignments/bulk',
        { event_function_id: places[2 + index], employee_ids, status: 3 },
      ],
    ),
    ['PUT', `/employees/${employees[0]}`, { city: `City ${round}` }],
    ['POST', '/busy-dates', { employee_id: employees[1], start: '2027-01-01', end: '2027-01-02' }],
  ];
  const failures: string[] = [];
  for (let round = 0; round < 6; round++) {
    const order = round % 2 ? requests(round) : requests(round).toReversed();
    await Promise.all(
      order.map(async ([method, path, body]) => {
        const { status, text } = await client.call(method, path, { body });
        if (status >= 500) failures.push(`${status} ${method} ${path} ${text.slice(0, 200)}`);
      }),
    );
  }
  await app.close();
  await database.close();
  assert.deepEqual(failures, []);
  assert.equal(await deadlocksOf(url), 0);
});
