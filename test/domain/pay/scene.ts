import assert from 'node:assert/strict';
import type { ApiResponse } from '../../support/app.ts';
import { Payroll } from '../work/scene.ts';

/** The period that the work of `Payroll` is in. */
export const period = { period_start: '2026-06-01', period_end: '2026-06-30' };

/** When pay runs are paid. */
export const paid_on = '2026-07-01T10:00:00Z';

/** Pay runs of one tenant, through the API. */
export class PayRuns extends Payroll {
  /** An approved assignment with nine hours of work, which pays 157.30. */
  async approved(more: Parameters<Payroll['assignment']>[0] = {}): Promise<number> {
    const id = await this.assignment(more);
    const [start, end] = more.times ?? [];
    await this.work(id, start && end ? { start, end } : {});
    const response = await this.approve(id);
    assert.equal(response.status, 200, response.text);
    return id;
  }

  create(more: object = {}, query = ''): Promise<ApiResponse> {
    return this.client.call('POST', `/pay-runs${query}`, { body: { name: 'Run', ...period, ...more } });
  }

  /** A new pay run of one wage profile, so that tests of one tenant do not collect each other's assignments. */
  async run(profile: number, more: object = {}): Promise<number> {
    const response = await this.create({ wage_profile_id: profile, ...more });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  }

  setRun(id: number, body: object, query = ''): Promise<ApiResponse> {
    return this.put(`/pay-runs/${id}${query}`, body);
  }

  /** Pays a pay run. */
  async payRun(id: number): Promise<void> {
    for (const body of [{ status: 2 }, { status: 3, paid_on }]) {
      const response = await this.setRun(id, body);
      assert.equal(response.status, 200, response.text);
    }
  }

  remove(id: number): Promise<ApiResponse> {
    return this.client.call('DELETE', `/pay-runs/${id}`);
  }

  /** The assignments on a pay run, by id. */
  async held(id: number): Promise<number[]> {
    const sheets = await this.list(`/paysheets?pay_run_id=${id}&fields=assignment_id&sort=assignment_id`);
    return sheets.map(({ assignment_id }) => assignment_id);
  }

  async paidOn(assignment: number): Promise<string | null> {
    const [{ paid_on }] = await this.list(`/assignments?id=${assignment}&fields=paid_on`);
    return paid_on;
  }
}
