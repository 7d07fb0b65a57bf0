import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { Staffing } from '../../domain/staffing/scene.ts';
import { startApp } from '../../support/app.ts';
import { inMemory, migratedUrl } from '../../support/database.ts';
import { countTrips } from '../../support/proxies/trips.ts';

it('writes take few trips: a new record one, a change of one two, a change of status two', async () => {
  await using proxy = await countTrips(await migratedUrl());
  const database = openDatabase({ ...inMemory, url: proxy.url });
  const app = await startApp(database);
  const client = await app.newClient();
  const staffing = new Staffing(client);
  const place = await staffing.place(await staffing.event('2026-06-12T08:00:00Z', '2026-06-12T12:00:00Z'));
  const id = await staffing.assignment(await staffing.employee(), place, 6);
  const made = await client.call('POST', '/clients', { body: { company: 'A' } });
  const tripsOf = async (method: string, path: string, body: object): Promise<number> => {
    const before = proxy.trips;
    const { status, text } = await client.call(method, path, { body });
    assert.ok(status < 300, text);
    return proxy.trips - before;
  };
  const status = (to: number) => tripsOf('PUT', `/assignments/${id}/status`, { status: to });
  // Some of them claim ids as well.
  const created: number[] = [];
  for (const company of ['B', 'C', 'D', 'E']) created.push(await tripsOf('POST', '/clients', { company }));
  await status(7);
  assert.deepEqual(
    {
      created: Math.min(...created),
      changed: await tripsOf('PUT', `/clients/${made.body.id}`, { company: 'F' }),
      status: await status(6),
    },
    { created: 1, changed: 2, status: 2 },
  );
  await app.close();
  await database.close();
});
