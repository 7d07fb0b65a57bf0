import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../support/app.ts';
import { Scene } from '../../support/scene.ts';

/** Employees, events and their functions for tests of the staffing rules: named by what the rules look at. */
export class Staffing {
  readonly #client: Client;
  readonly #scene: Scene;
  readonly #qualifications: number[] = [];

  constructor(client: Client) {
    this.#client = client;
    this.#scene = new Scene(client);
  }

  employee(changes: object = {}): Promise<number> {
    return this.create('employees', { firstname: 'A', lastname: 'B', status: 4, ...changes });
  }

  async event(start: string, end: string, changes: object = {}): Promise<number> {
    const project_id = await this.#scene.idOf('projects');
    return this.create('events', { project_id, name: 'Event', status: 2, start, end, ...changes });
  }

  async place(event_id: number, changes: object = {}): Promise<number> {
    const function_id = await this.#scene.idOf('functions');
    return this.create('event-functions', { event_id, function_id, quantity: 5, ...changes });
  }

  /** The event function of a new event. */
  async shift(start: string, end: string, changes: object = {}): Promise<number> {
    return this.place(await this.event(start, end), changes);
  }

  assignment(employee_id: number, event_function_id: number, status = 1): Promise<number> {
    return this.create('assignments', { employee_id, event_function_id, status });
  }

  /** An assignment of a new employee to the event function of a new event. */
  async newAssignment(start: string, end: string, status?: number): Promise<number> {
    return this.assignment(await this.employee(), await this.shift(start, end), status);
  }

  setStatus(id: number, status: number, query = ''): Promise<ApiResponse> {
    return this.#client.call('PUT', `/assignments/${id}/status${query}`, { body: { status } });
  }

  async statusOf(id: number): Promise<number> {
    return (await this.#client.call('GET', `/assignments/${id}?fields=status`)).body.status;
  }

  /** The n-th of some qualifications. */
  async qualification(n = 0): Promise<number> {
    for (let count = this.#qualifications.length; count <= n; count++)
      this.#qualifications.push(await createQualification(this.#client));
    return this.#qualifications[n] as number;
  }

  planner(): Promise<number> {
    return this.#scene.idOf('planners');
  }

  /** Creates a record and returns its id. */
  async create(resource: string, body: object): Promise<number> {
    const response = await this.#client.call('POST', `/${resource}`, { body });
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  }
}

/** Adds a value to the collection of qualifications and returns its id. */
export const createQualification = async ({ call }: Client, more: object = {}): Promise<number> => {
  const [collection] = (await call('GET', '/collections?identifier=qualifications')).body;
  const made = await call('POST', `/collections/${collection.id}/value`, { body: { name: 'Skill', ...more } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};

/** Code and field of each error of a 422. */
export const errorsOf = ({ status, body, text }: ApiResponse): string[][] => {
  assert.equal(status, 422, text);
  return body.errors.map(({ code, field }: { code: string; field: string }) => [code, field]);
};

/** That the response is a 422 of exactly these errors: code and field of each, with a space between. */
export const assertErrors = (response: ApiResponse, ...errors: readonly string[]): void =>
  assert.deepEqual(
    errorsOf(response).map(error => error.join(' ')),
    errors,
  );

/** That the response is a conflict (409) with the code. */
export const assertConflict = ({ status, body, text }: ApiResponse, code: string): void =>
  assert.deepEqual([status, body?.code], [409, code], text);

/** On a slow machine the queue for the embedded database's one connection gets too long: such a request is repeated, as its response asks for. */
export const insist = async (request: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (let attempt = 1; ; attempt++) {
    const response = await request();
    if (response.status !== 503 || attempt === 20) return response;
  }
};
