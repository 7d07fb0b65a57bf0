import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chunksOf } from '../../../src/core/chunks.ts';
import { insertable } from '../../../src/db/ids.ts';
import { mostAssignments } from '../../../src/domain/pay/collect.ts';
import { PayRuns, paid_on } from '../../domain/pay/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp((_, app) => {
  it('a pay run has at most 10,000 assignments, which are paid together', async () => {
    const client = await app.newClient();
    const payroll = new PayRuns(client);
    const wage_profile_id = await payroll.profile();
    const known = await payroll.approved({ profile: wage_profile_id });
    const [{ event_function_id }] = await payroll.list(`/assignments?id=${known}`);
    const ids = Array.from({ length: mostAssignments }, (_, index) => 50_000_000 + index);
    await client.database.forTenant(client.tenant).transaction(async ({ kysely }) => {
      for (const chunk of chunksOf(ids, insertable)) {
        const employees = chunk.map(id => ({ id, firstname: 'A', lastname: 'B', status: 4 }));
        await kysely.insertInto('employees').values(employees).execute();
        const assignments = chunk.map(id => ({ id, employee_id: id, event_function_id, wage_profile_id }));
        const approved = { status: 7, is_approved: true, pay_amount: 0.35, effective_start: '2026-06-12T16:00:00Z' };
        await kysely
          .insertInto('assignments')
          .values(assignments.map(row => ({ ...row, ...approved })))
          .execute();
        const wages = chunk.map(id => ({ id, assignment_id: id, payable_amount: 0.35 }));
        await kysely.insertInto('assignment_wages').values(wages).execute();
      }
    });
    assertErrors(await payroll.create(), 'too_many_items period_end');
    assert.deepEqual(await payroll.list('/paysheets'), []);
    assert.equal((await payroll.withdraw(known)).status, 200);
    const { status, body: run, text } = await payroll.create();
    assert.deepEqual([status, run.paysheet_count, run.total], [201, mostAssignments, 3500], text);
    await payroll.payRun(run.id);
    const count = async (path: string) =>
      (await client.call('GET', `${path}&count=true&limit=1`)).headers['x-total-count'];
    assert.equal(await count(`/assignments?paid_on=${paid_on}`), '10000');
    assert.equal(await count(`/paysheets?status=3&pay_run_id=${run.id}`), '10000');
    assert.equal((await client.call('GET', `/pay-runs/${run.id}/lines.ndjson?fields=amount`)).text.length, 160_000);
  });
});
