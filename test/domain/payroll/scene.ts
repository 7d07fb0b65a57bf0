import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../support/app.ts';
import { PayRuns } from '../pay/scene.ts';
import { wageTypes } from '../work/scene.ts';

/** Exports of pay runs of one tenant, through the API. */
export class Exports extends PayRuns {
  /** A pay run in status 2 of an approved assignment: 9 hours for 130.50, 4 at night for 14.50, and the fare, unless told otherwise. */
  async exportable(employee: object = {}, types: readonly object[] = wageTypes) {
    const profile = await this.profile(types);
    const person = await this.staffing.employee({ firstname: 'Ada', lastname: 'Vogt', ...employee });
    const assignment = await this.approved({ profile, employee: person });
    const run = await this.run(profile);
    assert.equal((await this.setRun(run, { status: 2 })).status, 200);
    return { run, assignment, profile, person };
  }

  format(body: object, query = ''): Promise<ApiResponse> {
    return this.client.call('POST', `/payroll-formats${query}`, { body: { name: 'Payroll', ...body } });
  }

  export(run: number, payroll_format_id: number, query = '', headers: object = {}): Promise<ApiResponse> {
    const body = { payroll_format_id };
    return this.client.call('POST', `/pay-runs/${run}/exports${query}`, { body, headers: { ...headers } });
  }

  /** The bytes of the export of a pay run with a new format. */
  async written(run: number, body: object): Promise<Buffer> {
    const format = await this.format(body);
    assert.equal(format.status, 201, format.text);
    const made = await this.export(run, format.body.id);
    assert.equal(made.status, 201, made.text);
    return this.content(made.body.file_id);
  }

  async content(file: number, client: Pick<Client, 'call'> = this.client): Promise<Buffer> {
    const { status, bytes, text } = await client.call('GET', `/files/${file}/content`);
    assert.equal(status, 200, text);
    return bytes;
  }

  acknowledge(id: number, acknowledged_on: string | null = '2026-07-02T08:00:00Z'): Promise<ApiResponse> {
    return this.put(`/payroll-exports/${id}`, { acknowledged_on });
  }
}
