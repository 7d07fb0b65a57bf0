import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../../support/app.ts';
import { Staffing } from '../staffing/scene.ts';

export const time_slots = [
  { id: 1, name: 'Early', category: 'weekday', week_days: [1, 2, 3, 4, 5], from: '06:00', to: '14:00' },
  { id: 2, name: 'Weekend', category: 'weekend', week_days: [6, 7], from: '14:00', to: '22:00' },
];
export const rules = [
  { id: 1, type: 'min', category: 'weekend', count: 2, message: 'Choose two weekend shifts.' },
  { id: 2, type: 'max', category: 'weekday', count: 1, message: 'One weekday at most.' },
  { id: 3, type: 'min', count: 3, message: 'Choose three shifts.' },
];

/** Returns a time slot on one day. */
export const pair = (date: string, time_slot_id: number) => ({ date, time_slot_id });

// From Wednesday on.
const requested_availabilities = [
  ...['2026-07-01', '2026-07-02', '2026-07-03'].map(date => pair(date, 1)),
  ...['2026-07-04', '2026-07-05'].map(date => pair(date, 2)),
];

/** Availability requests of one tenant for July 2026, and their definitions. */
export class AvailabilityRequests {
  readonly #client: Client;
  readonly #staffing: Staffing;

  constructor(client: Client) {
    this.#client = client;
    this.#staffing = new Staffing(client);
  }

  /** Creates a request to a new employee and returns its id. */
  async create(changes: object = {}): Promise<number> {
    const employee_id = await this.#staffing.employee();
    const body = { employee_id, name: 'July', from: '2026-07-01', to: '2026-07-31', ...changes };
    return this.#staffing.create('availability-requests', body);
  }

  /** Sends a definition of a request. */
  define(availability_request_id: number, changes: object = {}): Promise<ApiResponse> {
    const body = { availability_request_id, rules, time_slots, requested_availabilities, ...changes };
    return this.#client.call('POST', '/availability-requests-definitions', { body });
  }

  /** Creates a request with a definition and returns its id. */
  async createDefined(changes: object = {}, request: object = {}): Promise<number> {
    const id = await this.create(request);
    const response = await this.define(id, changes);
    assert.equal(response.status, 201, response.text);
    return id;
  }
}
