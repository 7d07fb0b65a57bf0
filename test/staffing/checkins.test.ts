import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type App, type Client, startApp } from '../support/app.ts';
import { forEachDatabase } from '../support/database.ts';
import { errorsOf, Staffing } from './scene.ts';

forEachDatabase((_, getDatabase) => {
  let app: App;
  let client: Client;
  let staffing: Staffing;

  before(async () => {
    app = await startApp(getDatabase());
    client = await app.newClient();
    staffing = new Staffing(client, getDatabase());
  });
  after(() => app.close());

  const newAssignment = async (status: number): Promise<number> =>
    staffing.assignment(await staffing.employee(), await staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'), status); // biome-ignore format: one line

  const checkIn = (assignment_id: number, type: number, time: string, source = 1) =>
    client.call('POST', '/checkins', { body: { assignment_id, type, source, timestamp: `2026-06-12T${time}:00Z` } });

  it('check-ins come as start, breaks, end, each later than the one before', async () => {
    const id = await newAssignment(6);
    assert.deepEqual(errorsOf(await checkIn(id, 4, '16:00')), [['checkin_order', 'type']]);
    for (const [type, time] of [[1, '16:00'], [2, '17:00'], [3, '17:30'], [2, '18:00']] as const) assert.equal((await checkIn(id, type, time)).status, 201); // biome-ignore format: one line
    assert.deepEqual(errorsOf(await checkIn(id, 4, '19:00')), [['checkin_order', 'type']]);
    assert.deepEqual(errorsOf(await checkIn(id, 3, '17:45')), [['checkin_order', 'type']]);
    for (const [type, time] of [[3, '18:30'], [4, '22:00']] as const) assert.equal((await checkIn(id, type, time)).status, 201); // biome-ignore format: one line
  });

  it('a check-in needs an assigned or confirmed assignment', async () => {
    assert.deepEqual(errorsOf(await checkIn(await newAssignment(5), 1, '16:00')), [['checkin_order', 'type']]);
  });

  it('a check-in of the apps outside the window is refused, one of another system stored', async () => {
    const id = await newAssignment(6);
    assert.deepEqual(errorsOf(await checkIn(id, 1, '14:59')), [['outside_checkin_window', 'timestamp']]);
    assert.equal((await checkIn(id, 1, '14:59', 2)).status, 201);
  });

  it('a check-in that comes again answers with the one that is there', async () => {
    const id = await newAssignment(6);
    const [first, again] = [await checkIn(id, 1, '16:00'), await checkIn(id, 1, '16:00')];
    assert.deepEqual([first.status, again.status], [201, 200]);
    assert.deepEqual(again.body, first.body);
  });
});
