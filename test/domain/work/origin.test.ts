import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { end, Payroll, start } from './scene.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);

  for (const [resource, field, own, free] of [
    ['work-times', 'event_function_employee_id', [2, 3], [1, 4]],
    ['work-time-proposals', 'assignment_id', [3], [1, 2]],
  ] as const)
    it(`${resource} do not claim a source that only the service gives`, async () => {
      const given = { [field]: await payroll.assignment(), start, end };
      for (const source of own)
        assertErrors(
          await client.call('POST', `/${resource}`, { body: { ...given, source } }),
          'not_in_enumeration source',
        );
      for (const source of free) {
        const { status, body } = await client.call('POST', `/${resource}`, { body: { ...given, source } });
        assert.deepEqual([status, body.source], [201, source]);
        const path = `/${resource}/${body.id}`;
        assertErrors(await payroll.put(path, { source: own[0] }), 'not_in_enumeration source');
      }
    });

  it('the source of a work time that an accepted proposal made may be put back', async () => {
    const id = await payroll.assignment();
    await payroll.accept(await payroll.propose(id));
    const [work] = await payroll.list(`/work-times?event_function_employee_id=${id}`);
    assert.equal(work.source, 2);
    assert.equal((await payroll.put(`/work-times/${work.id}`, { source: 2, is_approved: 0 })).status, 200);
  });
});
