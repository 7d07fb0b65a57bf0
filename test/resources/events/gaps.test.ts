import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

const span = ['2036-06-12T16:00:00Z', '2036-06-12T22:00:00Z'] as const;

forAnyApp(client => {
  const staffing = new Staffing(client);

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
