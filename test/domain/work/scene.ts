import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../support/app.ts';
import { Staffing } from '../staffing/scene.ts';

/** Base hours, a night and a Sunday surcharge, a flat fare, and an allowance that must be asked for. */
export const wageTypes = [
  { id: 1, name: 'Base hour', external_id: 'LA-100', unit: 'hour', value: 14.5 },
  {
    id: 2,
    name: 'Night',
    type: '2',
    unit: 'hour',
    value: 14.5,
    factor: 0.25,
    windows: [{ from: '23:00', to: '06:00' }],
  },
  { id: 3, name: 'Sunday', type: '2', unit: 'hour', value: 14.5, factor: 0.5, windows: [{ week_days: [7] }] },
  { id: 4, name: 'Fare', type: '3', unit: 'assignment', value: 12.3 },
  { id: 5, name: 'Carrying', type: '4', unit: 'piece', value: 2.5 },
];

/** A Friday evening into the night, in Berlin from 18:00 to 3:00. */
export const shift = ['2026-06-12T16:00:00Z', '2026-06-13T01:00:00Z'] as const;
export const [start, end] = shift;

/** Work and pay of one tenant, through the API. */
export class Payroll {
  readonly client: Client;
  readonly staffing: Staffing;

  constructor(client: Client) {
    this.client = client;
    this.staffing = new Staffing(client);
  }

  async profile(types: readonly object[] = wageTypes): Promise<number> {
    return this.post('wage-profiles', { name: 'Hourly', wage_types: types });
  }

  /** Runs `work` while the tenant has no default wage profile. */
  async withoutDefault(work: () => Promise<void>): Promise<void> {
    const [{ id }] = await this.list('/wage-profiles?is_default=1');
    await this.put(`/wage-profiles/${id}`, { is_default: 0 });
    await work().finally(() => this.put(`/wage-profiles/${id}`, { is_default: 1 }));
  }

  /**
   * An assignment with status 6, whatever else its employee has: of a new employee, paid by a new profile (of the event
   * function) unless told otherwise.
   */
  async assignment({
    profile,
    employee,
    times = shift,
  }: {
    profile?: number | null;
    employee?: number;
    times?: readonly [string, string];
  } = {}): Promise<number> {
    const wage_profile_id = profile === undefined ? await this.profile() : profile;
    const worker = employee ?? (await this.staffing.employee());
    const function_id = await this.post('functions', { name: 'Service' });
    const event_function_id = await this.staffing.shift(...times, { function_id, wage_profile_id });
    // Several assignments of one employee may be at the same time.
    return this.post('assignments?force=true', { employee_id: worker, event_function_id, status: 6 });
  }

  /** A new record's id. */
  post(resource: string, body: object): Promise<number> {
    return this.staffing.create(resource, body);
  }

  propose(assignment_id: number, more: object = {}): Promise<number> {
    return this.post('work-time-proposals', { assignment_id, start, end, ...more });
  }

  work(assignment: number, more: object = {}): Promise<number> {
    return this.post('work-times', { event_function_employee_id: assignment, start, end, ...more });
  }

  put(path: string, body: object): Promise<ApiResponse> {
    return this.client.call('PUT', path, { body });
  }

  accept(proposal: number, query = ''): Promise<ApiResponse> {
    return this.put(`/work-time-proposals/${proposal}${query}`, { status: 2 });
  }

  async approve(assignment: number, query = ''): Promise<ApiResponse> {
    const approved_by_planner_id = await this.staffing.planner();
    return this.put(`/assignments/${assignment}/approve${query}`, { approved_by_planner_id });
  }

  withdraw(assignment: number): Promise<ApiResponse> {
    return this.put(`/assignments/${assignment}/approve`, { approved_by_planner_id: null });
  }

  pay(assignment: number): Promise<ApiResponse> {
    return this.put(`/assignments/${assignment}/pay`, { paid_on: '2026-07-01T10:00:00Z' });
  }

  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  async list(path: string): Promise<any[]> {
    const response = await this.client.call('GET', path);
    assert.equal(response.status, 200, response.text);
    return response.body;
  }

  /** Name, base value, factor and pay of each wage of the assignment. */
  async wages(assignment: number): Promise<unknown[][]> {
    const wages = await this.list(`/assignment-wages?assignment_id=${assignment}`);
    return wages.map(wage => [wage['wage_type.name'], wage.base_value, wage.factor, wage.payable_amount]);
  }
}
