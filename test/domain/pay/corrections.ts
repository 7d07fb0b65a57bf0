import assert from 'node:assert/strict';
import type { ApiResponse } from '../../support/app.ts';
import { PayRuns } from './scene.ts';

/** Corrections of paid work of one tenant, through the API. */
export class Corrections extends PayRuns {
  reopen(assignment: number, reason = 'The shift ended earlier.', query = ''): Promise<ApiResponse> {
    return this.put(`/assignments/${assignment}/reopen${query}`, { reason });
  }

  /** Changes the only work time of an assignment. */
  async rework(assignment: number, body: object): Promise<void> {
    const [{ id }] = await this.list(`/work-times?event_function_employee_id=${assignment}`);
    const response = await this.put(`/work-times/${id}`, body);
    assert.equal(response.status, 200, response.text);
  }

  /** Reopens, changes the work and approves again. */
  async correct(assignment: number, body: object): Promise<void> {
    assert.equal((await this.reopen(assignment)).status, 200);
    await this.rework(assignment, body);
    const response = await this.approve(assignment);
    assert.equal(response.status, 200, response.text);
  }

  // biome-ignore lint/suspicious/noExplicitAny: paysheets
  corrections(assignment: number): Promise<any[]> {
    return this.list(`/paysheets?assignment_id=${assignment}&kind=correction`);
  }

  /** Kind, name, quantity and amount of the lines of a pay run. */
  async lines(run: number): Promise<unknown[][]> {
    const lines = await this.list(`/pay-runs/${run}/lines`);
    return lines.map(({ kind, wage_type_name, quantity, amount }) => [kind, wage_type_name, quantity, amount]);
  }
}
