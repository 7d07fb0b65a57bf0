import assert from 'node:assert/strict';
import type { Random } from '../../../src/demo/random.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { createQualification } from '../staffing/scene.ts';
import { countryOf } from './scene.ts';

const DAY = 86_400_000;
const FIRST = Date.parse('2036-06-02T00:00:00Z');

/** Writes of every kind that conflicts follow from, at random: those that the rules reject change nothing. */
export class Writer {
  readonly #client: Client;
  readonly #random: Random;
  readonly #ids = new Map<string, number[]>();
  #qualifications: readonly number[] = [];
  #countries: readonly number[] = [];

  constructor(client: Client, random: Random) {
    this.#client = client;
    this.#random = random;
  }

  /** Creates the records that the writes are about. */
  async begin(): Promise<void> {
    this.#qualifications = [await createQualification(this.#client), await createQualification(this.#client)];
    this.#countries = [await countryOf(this.#client)];
    for (const name of ['C', 'D']) await this.#create('clients', { company: name });
    for (const name of ['K', 'L']) await this.#create('locations', { name, country: this.#countries[0] });
    await this.#create('wage-profiles', { name: 'Other' });
    for (const name of ['F', 'G']) await this.#create('functions', { name });
    for (const name of ['P', 'Q']) await this.#create('projects', { name, client_id: this.#pick('clients') });
    for (let n = 0; n < 5; n++) await this.#create('employees', { firstname: 'A', lastname: String(n), status: 4 });
    for (let n = 0; n < 6; n++) await this.#newEvent();
    for (let n = 0; n < 8; n++) await this.#newPlace();
    for (const rule of rules) await this.#create('work-rules', { name: rule.kind, ...rule });
  }

  /** Makes one write. @returns its name, for the message of a failure */
  async write(): Promise<string> {
    const weights = this.#writes.map(([, , weight]) => weight);
    const [name, write] = this.#random.weighted(this.#writes, weights);
    const response = await write();
    assert.ok(!response || response.status < 500, `${name}: ${response?.text}`);
    return `${name} ${response?.status}`;
  }

  readonly #writes: readonly (readonly [string, () => Promise<ApiResponse | undefined>, number])[] = [
    ['assign', () => this.#assign(), 30],
    ['status', () => this.#put('assignments', '/status', { status: this.#random.pick([6, 7, 6, 5, 8]) }), 10],
    ['delete assignment', () => this.#delete('assignments'), 8],
    ['move', () => this.#put('assignments', '/move', { event_function_id: this.#pick('event-functions') }), 4],
    ['event times', () => this.#put('events', '', this.#times()), 6],
    ['event status', () => this.#put('events', '', { status: this.#random.pick([2, 2, 5]) }), 3],
    ['event place', () => this.#put('events', '', { location_id: this.#maybe('locations'), client_id: null }), 2],
    ['project', () => this.#put('projects', '', { client_id: this.#pick('clients') }), 2],
    ['place', () => this.#put('event-functions', '', this.#random.chance(0.5) ? this.#times() : this.#demands()), 6],
    ['function', () => this.#put('functions', '', { wage_profile_id: this.#maybe('wage-profiles') }), 2],
    ['profile', () => this.#put('wage-profiles', '', { is_default: this.#random.integer(0, 1) }), 1],
    ['location', () => this.#put('locations', '', { country: this.#maybe('country') }), 2],
    ['qualified', () => this.#put('employees', '', { qualifications: this.#some() }), 4],
    [
      'birthday',
      () => this.#put('employees', '', { birthday: this.#random.pick([null, '2019-06-10', '1990-01-01']) }),
      4,
    ],
    ['paid by', () => this.#put('employees', '', { wage_profile_id: this.#maybe('wage-profiles') }), 2],
    [
      'away',
      () =>
        this.#add('busy-dates', {
          employee_id: this.#pick('employees'),
          ...this.#times(),
          counts_as_work: this.#random.integer(0, 1),
        }),
      6,
    ],
    ['works elsewhere', () => this.#put('busy-dates', '', { counts_as_work: this.#random.integer(0, 1) }), 2],
    ['of another', () => this.#put('busy-dates', '', { employee_id: this.#pick('employees') }), 1],
    ['back', () => this.#delete('busy-dates'), 4],
    ['worked', () => this.#work(), 8],
    ['not worked', () => this.#delete('work-times'), 4],
    ['rule', () => this.#put('work-rules', '', this.#ruleChange()), 4],
    ['no rule', () => this.#delete('work-rules'), 0.5],
    ['new rule', () => this.#add('work-rules', { name: 'N', ...this.#random.pick(rules) }), 1],
    ['forget', () => this.#forget(), 0.3],
  ];

  #pick(resource: string): number {
    const ids = this.#ids.get(resource) ?? [];
    return ids.length > 0 ? this.#random.pick(ids) : 0;
  }

  #maybe(resource: string): number | null {
    if (this.#random.chance(0.4)) return null;
    return resource === 'country' ? (this.#countries[0] ?? null) : this.#pick(resource);
  }

  #some(): readonly number[] {
    return this.#qualifications.filter(() => this.#random.chance(0.5));
  }

  #times() {
    const start = FIRST + this.#random.integer(0, 20 * 24) * (DAY / 24);
    const end = start + this.#random.integer(2, 14) * (DAY / 24);
    const [from, to] = [start, end].map(time => new Date(time).toISOString());
    return { start: from, end: to };
  }

  #demands() {
    return {
      required_qualifications: this.#some(),
      location_id: this.#maybe('locations'),
      wage_profile_id: this.#maybe('wage-profiles'),
      function_id: this.#pick('functions'),
    };
  }

  #ruleChange() {
    return this.#random.pick([
      { mode: this.#random.pick(['off', 'warn', 'refuse']) },
      { applies_to: { employee_ids: [this.#pick('employees')] } },
      { applies_to: { client_ids: [this.#pick('clients')] } },
      { applies_to: { country_ids: [...this.#countries] } },
      { applies_to: { age_below: 18 }, except: null },
      { applies_to: {}, except: { wage_profile_ids: [this.#pick('wage-profiles')] } },
      { applies_to: { function_ids: [this.#pick('functions')] } },
      { basis: this.#random.pick(['planned', 'worked', 'both']) },
      { valid_to: this.#random.pick([null, '2036-06-12']) },
    ]);
  }

  async #assign() {
    const [employee_id, event_function_id] = [this.#pick('employees'), this.#pick('event-functions')];
    return this.#add('assignments', { employee_id, event_function_id, status: 6 });
  }

  async #work() {
    const id = this.#pick('assignments');
    const { body } = await this.#client.call('GET', `/assignments/${id}?fields=start,end`);
    if (!body?.start) return undefined;
    const end = new Date(Date.parse(body.end) + this.#random.integer(-60, 120) * 60_000).toISOString();
    return this.#add('work-times', { event_function_employee_id: id, start: body.start, end });
  }

  async #newEvent() {
    const made = { project_id: this.#pick('projects'), name: 'E', status: 2, ...this.#times() };
    await this.#create('events', made);
  }

  async #newPlace() {
    const made = { event_id: this.#pick('events'), quantity: 20, ...this.#demands() };
    await this.#create('event-functions', made);
  }

  async #forget() {
    const id = this.#pick('employees');
    this.#ids.set(
      'employees',
      (this.#ids.get('employees') ?? []).filter(other => other !== id),
    );
    await this.#create('employees', { firstname: 'A', lastname: 'New', status: 4 });
    return this.#client.call('DELETE', `/employees/${id}?anonymize=true`);
  }

  async #add(resource: string, body: object): Promise<ApiResponse> {
    const force = resource === 'assignments' || resource === 'work-times' ? '?force=true' : '';
    const response = await this.#client.call('POST', `/${resource}${force}`, { body });
    if (response.status === 201) this.#ids.set(resource, [...(this.#ids.get(resource) ?? []), response.body.id]);
    return response;
  }

  async #create(resource: string, body: object): Promise<void> {
    const response = await this.#add(resource, body);
    assert.equal(response.status, 201, `${resource} ${response.text}`);
  }

  async #put(resource: string, action: string, body: object): Promise<ApiResponse> {
    const forced = ['assignments', 'events', 'event-functions'].includes(resource);
    const path = `/${resource}/${this.#pick(resource)}${action}${forced ? '?force=true' : ''}`;
    return this.#client.call('PUT', path, { body });
  }

  async #delete(resource: string): Promise<ApiResponse> {
    const id = this.#pick(resource);
    const response = await this.#client.call('DELETE', `/${resource}/${id}`);
    if (response.status === 204)
      this.#ids.set(
        resource,
        (this.#ids.get(resource) ?? []).filter(other => other !== id),
      );
    return response;
  }
}

/** Rules of most kinds: short and long, of people and of places. */
const rules = [
  { kind: 'rest', mode: 'warn', parameters: { minutes: 660 } },
  { kind: 'hours_per_day', mode: 'refuse', parameters: { minutes: 480, per: 'start_day' } },
  { kind: 'breaks', mode: 'warn', parameters: { steps: [{ over: 360, minutes: 30 }] } },
  { kind: 'days_in_a_row', mode: 'warn', parameters: { days: 2 } },
  { kind: 'average_hours', mode: 'warn', parameters: { minutes: 600, weeks: 2 } },
  { kind: 'weekly_rest', mode: 'warn', parameters: { minutes: 7200, per_days: 7 } },
  { kind: 'hire_out', mode: 'warn', parameters: { months: 1, gap_months: 1 } },
  {
    kind: 'span_per_day',
    mode: 'warn',
    parameters: { minutes: 600, per: 'calendar_day' },
    applies_to: { age_below: 18 },
  },
] as const;
