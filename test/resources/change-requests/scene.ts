import { Staffing } from '../../domain/staffing/scene.ts';
import type { ApiResponse, Client } from '../../support/app.ts';

/** Change requests of one tenant, through the API. */
export class Requests extends Staffing {
  readonly client: Client;

  constructor(client: Client) {
    super(client);
    this.client = client;
  }

  /** Requests changes of a record. */
  ask(entity: string, entity_id: number, changes: readonly object[], query = ''): Promise<ApiResponse> {
    return this.client.call('POST', `/change-requests${query}`, { body: { entity, entity_id, changes } });
  }

  /** Returns the id of a request for a new phone number of a new employee, and the employee's id. */
  async newRequest(): Promise<readonly [request: number, employee: number]> {
    const employee = await this.employee({ mobile: '+49 30 23125717' });
    const { body } = await this.ask('employees', employee, [{ field: 'mobile', new_value: '+49 30 23125718' }]);
    return [body.id, employee];
  }

  decide(id: number, status: number, query = ''): Promise<ApiResponse> {
    return this.client.call('PUT', `/change-requests/${id}/decision${query}`, { body: { status } });
  }

  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  async read(path: string): Promise<any> {
    return (await this.client.call('GET', path)).body;
  }
}
