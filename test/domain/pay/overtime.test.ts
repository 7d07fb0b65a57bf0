import assert from 'node:assert/strict';
import { it } from 'node:test';
import { anyDatabase } from '../../support/database.ts';
import { useApp } from '../../support/for-each-app.ts';
import { PayRuns } from './scene.ts';

const { client } = useApp(anyDatabase);
const payroll = new PayRuns(client);

it('overtime is what an accepted wage proposal says: approving one assignment changes no wages of another', async () => {
  const profile = await payroll.profile([
    { id: 1, name: 'Base', external_id: 'LA-100', unit: 'hour', value: 14.5 },
    { id: 2, name: 'Overtime', external_id: 'LA-250', type: '4', unit: 'hour', value: 14.5, factor: 0.25 },
  ]);
  const employee = await payroll.staffing.employee();
  const first = await payroll.approved({ profile, employee });
  const times = ['2026-06-13T08:00:00Z', '2026-06-13T18:00:00Z'] as const;
  const second = await payroll.assignment({ profile, employee, times });
  await payroll.work(second, { start: times[0], end: times[1] });
  const proposal = await payroll.post('wage-proposals', { assignment_id: second, wage_type_id: 2, value: 3 });
  assert.equal((await payroll.put(`/wage-proposals/${proposal}`, { status: 2 })).status, 200);
  assert.equal((await payroll.approve(second)).status, 200);
  assert.deepEqual(await payroll.wages(first), [['Base', 14.5, 9, 130.5]]);
  const run = await payroll.run(profile);
  const lines = await payroll.list(`/pay-runs/${run}/lines`);
  assert.deepEqual(
    lines.map(line => [line.assignment_id, line.wage_type_external_id, line.quantity, line.amount]),
    [
      [first, 'LA-100', 9, 130.5],
      [second, 'LA-100', 10, 145],
      [second, 'LA-250', 3, 10.88],
    ],
  );
});
