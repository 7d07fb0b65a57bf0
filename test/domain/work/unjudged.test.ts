import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { ApiResponse, Client } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Staffing } from '../staffing/scene.ts';
import { Payroll } from './scene.ts';
import { Site, whole } from './site.ts';

forAnyApp((_shared, app) => {
  let client: Client;
  before(async () => {
    client = await app.newClient();
  });

  /** Has a rule that every piece of work breaks, from now on. */
  const forbidWork = async (mode: string) => {
    const rule = { name: 'Nobody works', kind: 'hours_per_day', mode, parameters: { minutes: 1 } };
    await new Staffing(client).create('work-rules', rule);
  };
  const assertUnjudged = ({ status, headers, text }: ApiResponse, expected = 200) =>
    assert.deepEqual([status, headers['x-warnings']], [expected, undefined], text);

  for (const mode of ['refuse', 'warn'])
    it(`work that a rule would ${mode} is recorded, signed, accepted and approved without a word of it`, async () => {
      const site = await new Site(client).prepare();
      const payroll = new Payroll(client);
      const event = await site.event({
        configurations: { signed_work_data: { enabled: 1 }, confirmation: { enabled: 0 } },
      });
      const [signed, recorded] = [await site.assignment(event), await site.assignment(event)];
      await forbidWork(mode);
      const planned = { employee_id: await site.employee(), event_function_id: await site.place(event), status: 6 };
      const { status, headers } = await client.call('POST', '/assignments', { body: planned });
      assert.deepEqual([status, headers['x-warnings'] === undefined], mode === 'refuse' ? [422, true] : [201, false]);

      assertUnjudged(await site.sign([{ assignment_id: signed, work_times: [whole] }]));
      const [proposal] = await site.rows('work-time-proposals', signed);
      assertUnjudged(await payroll.accept(Number(proposal?.id)));
      const body = { event_function_employee_id: recorded, ...whole };
      assertUnjudged(await client.call('POST', '/work-times', { body }), 201);
      for (const id of [signed, recorded]) assertUnjudged(await payroll.approve(id));

      for (const { id } of (await client.call('GET', '/work-rules')).body)
        assert.equal((await client.call('DELETE', `/work-rules/${id}`)).status, 204);
    });
});
