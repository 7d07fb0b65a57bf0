import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type App, type Client, startApp } from '../support/app.ts';
import { forEachDatabase } from '../support/database.ts';
import { Staffing } from './scene.ts';

const span = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;

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

  it('candidates are ranked by the checks that they pass, with the reasons of those that they do not', async () => {
    const place = await staffing.shift(...span, { required_qualifications: [61] });
    const [best, unqualified, tired, busy] = [
      await staffing.employee({ qualifications: [61] }),
      await staffing.employee(),
      await staffing.employee({ qualifications: [61] }),
      await staffing.employee({ qualifications: [61] }),
    ];
    await staffing.assignment(tired, await staffing.shift('2036-06-13T06:00:00Z', '2036-06-13T08:00:00Z'), 6);
    await staffing.assignment(busy, await staffing.shift(...span), 6);
    const { body } = await client.call('GET', `/event-functions/${place}/candidates`);
    assert.deepEqual(body.map(({ employee_id, score }: Record<string, number>) => [employee_id, score]), [[best, 4], [unqualified, 3], [tired, 3], [busy, 2]]); // biome-ignore format: one line
    assert.deepEqual(body[2].rested, { passed: 0, reason: 'rest_time' });
    assert.deepEqual(body[3].free, { passed: 0, reason: 'double_booked' });
  });

  it('gaps tell for each function what is required, held, confirmed and open', async () => {
    const place = await staffing.shift(...span, { quantity: 3 });
    await staffing.assignment(await staffing.employee(), place, 5);
    const id = await staffing.assignment(await staffing.employee(), place, 6);
    await staffing.setStatus(id, 7);
    const { body } = await client.call('GET', '/events/gaps');
    const gap = body.find((entry: Record<string, number>) => entry.event_function_id === place);
    assert.deepEqual([gap.required, gap.holding, gap.confirmed, gap.open], [3, 2, 1, 1]);
  });
});
