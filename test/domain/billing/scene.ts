import { Payroll, shift } from '../work/scene.ts';

/** Clients, their terms of billing, and assignments for them. */
export class Billing extends Payroll {
  newClient(): Promise<number> {
    return this.post('clients', { company: 'Nordlicht Hotels GmbH' });
  }

  function(): Promise<number> {
    return this.post('functions', { name: 'Service' });
  }

  /** A default profile with components; of all clients if `client_id` is null. */
  async terms(client_id: number | null, components: readonly object[], more: object = {}): Promise<number> {
    const profile = { name: 'Standard', client_id, is_default: 1, ...more };
    const billing_profile_id = await this.post('billing-profiles', profile);
    for (const component of components)
      await this.post('billing-components', { billing_profile_id, name: 'Service', ...component });
    return billing_profile_id;
  }

  /** A confirmed assignment for a client, paid by the hour, with nine hours of work. */
  async worked(client_id: number | null, function_id: number, project: object = {}): Promise<number> {
    const [start, end] = shift;
    const project_id = await this.post('projects', { name: 'Summer', client_id, ...project });
    const event_id = await this.post('events', { project_id, name: 'Gala', status: 2, start, end });
    const wage_profile_id = await this.profile();
    const place = await this.staffing.place(event_id, { function_id, wage_profile_id });
    const id = await this.staffing.assignment(await this.staffing.employee(), place, 6);
    await this.work(id);
    return id;
  }

  /** Component, quantity, unit, rate, factor and amount of each billing of the assignment. */
  async billings(assignment: number): Promise<unknown[][]> {
    const billings = await this.list(`/assignment-billings?assignment_id=${assignment}`);
    return billings.map(({ quantity, unit, rate, factor, billable_amount }) => [
      quantity,
      unit,
      rate,
      factor,
      billable_amount,
    ]);
  }

  /** The id of the assignment's only billing. */
  async billing(assignment: number): Promise<number> {
    return (await this.list(`/assignment-billings?assignment_id=${assignment}`))[0].id;
  }
}
