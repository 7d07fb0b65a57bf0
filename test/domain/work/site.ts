import { before } from 'node:test';
import type { ApiResponse, Client } from '../../support/app.ts';
import { Staffing } from '../staffing/scene.ts';

export const [start, pause, resume, end] = [
  '2026-06-12T16:00:00Z',
  '2026-06-12T19:00:00Z',
  '2026-06-12T19:30:00Z',
  '2026-06-12T22:00:00Z',
] as const;
/** Work of the whole time, with a break. */
export const whole = { start, end, break_start: pause, break_end: resume };
export const signed_at = '2026-06-12T22:10:00Z';

export interface Item {
  readonly assignment_id: number;
  readonly work_times: readonly object[];
  readonly wages?: readonly object[];
}

/** An event with a contact and a planner, its own or its project's, and people to work at it. */
export class Site {
  readonly client: Client;
  readonly staffing: Staffing;
  customer = 0;
  contact = 0;
  planner = 0;
  project = 0;
  profile = 0;
  job = 0;

  constructor(client: Client) {
    this.client = client;
    this.staffing = new Staffing(client);
  }

  async prepare(): Promise<this> {
    const client_id = await this.staffing.create('clients', { company: 'Hotel' });
    this.customer = client_id;
    this.contact = await this.staffing.create('contacts', {
      client_id,
      firstname: 'Jana',
      lastname: 'Petersen',
      email: 'jana@hotel.example',
    });
    this.planner = await this.staffing.create('planners', { first_name: 'Mirjam', last_name: 'Okafor' });
    this.project = await this.staffing.create('projects', {
      name: 'P',
      client_id,
      contact_id: this.contact,
      planner_id: this.planner,
    });
    this.job = await this.staffing.create('functions', { name: 'Service' });
    this.profile = await this.staffing.create('wage-profiles', {
      name: 'Terms',
      wage_types: [{ id: 3, name: 'Meal', value: 12, unit: 'piece' }],
    });
    return this;
  }

  event(changes: object = {}): Promise<number> {
    return this.staffing.event(start as string, end as string, { project_id: this.project, ...changes });
  }

  employee(): Promise<number> {
    return this.staffing.employee({ wage_profile_id: this.profile });
  }

  place(event: number, changes: object = {}): Promise<number> {
    return this.staffing.place(event, { function_id: this.job, ...changes });
  }

  async assignment(event: number, status = 6): Promise<number> {
    return this.staffing.assignment(await this.employee(), await this.place(event), status);
  }

  /** Returns the records of the resource that belong to an assignment. */
  async rows(resource: string, assignment: number): Promise<readonly Record<string, unknown>[]> {
    return (await this.client.call('GET', `/${resource}?assignment_id=${assignment}`)).body;
  }

  /** Work signed by the contact. */
  sign(items: readonly Item[], changes: object = {}, query = ''): Promise<ApiResponse> {
    const approver = { type: 'contact', id: this.contact };
    const body = { approver, signed_at, method: 'signature', items, ...changes };
    return this.client.call('POST', `/assignments/signed-work-data${query}`, { body });
  }
}

/** Returns a site of the client's tenant: one that can be used as soon as a test runs. */
export const useSite = (client: Client): Site => {
  const site = new Site(client);
  before(() => site.prepare());
  return site;
};
