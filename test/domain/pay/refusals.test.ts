import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ApiResponse } from '../../support/app.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { assertErrors, errorsOf } from '../staffing/scene.ts';
import { shift } from '../work/scene.ts';
import { PayRuns, paid_on } from './scene.ts';

forAnyApp(client => {
  const scene = new PayRuns(client);
  const pay = (id: number, body: object): Promise<ApiResponse> => scene.put(`/assignments/${id}/pay`, body);
  const approveBy = (id: number, approved_by_planner_id: unknown): Promise<ApiResponse> =>
    scene.put(`/assignments/${id}/approve`, { approved_by_planner_id });
  const unchanged = async (id: number, request: () => Promise<ApiResponse>): Promise<void> => {
    const before = await client.call('GET', `/assignments/${id}`);
    const response = await request();
    assert.deepEqual([response.status, response.body], [200, before.body], response.text);
  };
  const message = ({ body }: ApiResponse): string => body.errors[0].message;

  it('an assignment that holds no place cannot be approved, and the response names its status', async () => {
    for (const status of [1, 3]) {
      const id = await scene.staffing.newAssignment(...shift, status);
      for (const query of ['', '?force=true']) {
        const response = await scene.approve(id, query);
        assertErrors(response, 'invalid_transition status');
        assert.match(message(response), new RegExp(`status ${status}\\b`));
      }
      assertErrors(
        await approveBy(id, 999_999),
        'reference_not_found approved_by_planner_id',
        'invalid_transition status',
      );
      assertErrors(await pay(id, { paid_on }), 'not_approved paid_on');
    }
  });

  it('the planner and the date of payment are checked before anything changes', async () => {
    const id = await scene.assignment();
    const planners: [value: unknown, code: string][] = [
      ['x', 'invalid_type'],
      [1.5, 'invalid_type'],
      [999_999, 'reference_not_found'],
    ];
    for (const [value, code] of planners) assertErrors(await approveBy(id, value), `${code} approved_by_planner_id`);
    assertErrors(await scene.put(`/assignments/${id}/approve`, {}), 'not_empty approved_by_planner_id');
    assertErrors(await scene.approve(id), 'nothing_to_approve approved_by_planner_id');
    for (const [value, code] of [
      ['tomorrow', 'invalid_format'],
      ['2026-02-30', 'invalid_format'],
      [5, 'invalid_type'],
    ])
      assertErrors(await pay(id, { paid_on: value }), `${code} paid_on`);
    assertErrors(await pay(id, {}), 'not_empty paid_on');
    assertErrors(await pay(id, { paid_on }), 'not_approved paid_on');
    await unchanged(id, () => pay(id, { paid_on: null }));
    await unchanged(id, () => scene.withdraw(id));
    assert.deepEqual([(await scene.approve(999_999)).status, (await pay(999_999, { paid_on })).status], [404, 404]);
  });

  it('a repeated approval or payment changes nothing, and a paid assignment keeps its approval', async () => {
    const id = await scene.approved();
    await unchanged(id, () => scene.approve(id));
    assert.equal((await scene.pay(id)).body.paid_on, paid_on);
    await unchanged(id, () => scene.pay(id));
    assertErrors(await scene.approve(id), 'assignment_paid approved_by_planner_id');
    assertErrors(await scene.withdraw(id), 'assignment_paid approved_by_planner_id');
    assert.equal((await pay(id, { paid_on: null })).body.paid_on, null);
    assert.equal((await scene.withdraw(id)).body.is_approved, 0);
  });

  it('the approval and payment of an assignment on a pay run change only with the run, which the response names', async () => {
    const profile = await scene.profile();
    const id = await scene.approved({ profile });
    const run = await scene.run(profile);
    const requests: [field: string, request: () => Promise<ApiResponse>][] = [
      ['paid_on', () => pay(id, { paid_on: '2026-08-01' })],
      ['approved_by_planner_id', () => scene.withdraw(id)],
    ];
    const refuse = async () => {
      for (const [field, request] of requests) {
        const response = await request();
        assert.deepEqual(errorsOf(response), [['on_pay_run', field]]);
        assert.match(message(response), new RegExp(`pay run ${run}\\b`));
      }
    };
    await refuse();
    await unchanged(id, () => pay(id, { paid_on: null }));
    await scene.payRun(run);
    await refuse();
    assertErrors(await pay(id, { paid_on: null }), 'on_pay_run paid_on');
    await unchanged(id, () => scene.pay(id));
  });
});
