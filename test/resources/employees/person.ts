import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { referencesOf } from '../../../src/core/resource/references.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import { formOf } from '../../attributes/scene.ts';
import type { ApiResponse, Client } from '../../support/app.ts';
import { exampleBody, type Operation, operationOf } from '../../support/operations.ts';
import { Scene } from '../../support/scene.ts';

const all: Readonly<Record<string, Resource>> = resources;

/** Returns the resources whose records hang on an employee, each after those that they refer to. */
export const hanging = (start = 'employees', found: string[] = [start]): readonly string[] => {
  for (const { name, fields, called } of Object.values(all)) {
    const refers = fields.some(
      field => field.name !== 'requested_by' && referencesOf(field).some(({ resource }) => resource === start),
    );
    if (called || !refers || found.includes(name)) continue;
    found.push(name);
    hanging(name, found);
  }
  return found;
};

/** Strings that forgetting keeps: ids of other systems, work and pay, and the texts of planners' requests. */
const kept: ReadonlySet<string> = new Set([
  'employees.external_id',
  'assignments.external_id',
  'employees.qualifications',
  'assignments.statistics',
  'assignment-wages.wage_type.name',
  'assignment-wages.wage_type.external_id',
  'assignment-wages.wage_type.currency_format',
  'assignment-wages.wage_type_value.unit',
  'paysheets.lines',
  'availability-requests.name',
  'availability-requests-definitions.rules',
  'availability-requests-definitions.time_slots',
  'availability-requests-definitions.requested_availabilities',
]);

/** Formats that a word can't have: values that name a file or a code. */
const isFree = ({ name, access, type, values, pattern }: Field, { name: resource }: Resource): boolean =>
  access !== 'read' &&
  (type === 'text' || type === 'json') &&
  !values &&
  !/^\^\\d|A-Z/.test(pattern ?? '') &&
  name !== 'signed_by_type' &&
  !kept.has(`${resource}.${name}`);

/** An employee with a word in every string that a client can write, in the record and in all that hang on it. */
export class Person {
  readonly ids = new Map<string, number>();
  readonly #client: Client;
  readonly #scene: Scene;
  readonly #word: string;
  readonly #repeats: (() => Promise<ApiResponse>)[] = [];

  constructor(client: Client, word: string) {
    let keys = 0;
    // Every response to a write is kept.
    const call: Client['call'] = (method, path, asked = {}) => {
      const key: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': `${word}-${++keys}` };
      const send = () => client.call(method, path, { ...asked, headers: { ...asked.headers, ...key } });
      if (method !== 'GET') this.#repeats.push(send);
      return send();
    };
    this.#client = Object.create(client, { call: { value: call } });
    this.#scene = new Scene(this.#client);
    this.#word = word;
  }

  idOf(resource: string): number {
    const id = this.ids.get(resource);
    assert.ok(id, `The person has no ${resource}.`);
    return id;
  }

  /** Sends all writes again, with the same keys. */
  async repeat(): Promise<readonly ApiResponse[]> {
    const responses: ApiResponse[] = [];
    for (const send of this.#repeats) responses.push(await send());
    return responses;
  }

  /** Uploads a file and returns its record. */
  async upload(): Promise<ApiResponse['body']> {
    const headers = { 'X-File-Name': `${this.#word}.txt` };
    return (await this.#send('POST', '/files', Buffer.from(`This is ${this.#word}.`), headers)).body;
  }

  /**
   * Creates everything.
   * @param file of the signature and of a dynamic field
   * @param contract of the contract
   */
  async create(file: { readonly id: number }, contract: { readonly path: string }): Promise<this> {
    const { status } = await this.#send('GET', '/employees');
    assert.equal(status, 200);
    const dynamic = await this.#dynamicFields(file.id);
    await this.#add('employees', { ...dynamic, birthday: '1990-01-02', external_id: null });
    await this.#add('assignments');
    const change = { entity: 'employees', entity_id: this.idOf('employees') };
    const changes = [{ field: 'address_first', new_value: `${this.#word} street` }];
    const { body } = await this.#send('POST', '/change-requests', { ...change, changes });
    this.ids.set('change-requests', body.id);
    const own = { file: contract.path, signature_file_id: file.id };
    const rest = hanging().filter(name => !this.ids.has(name) && !derived.has(name));
    for (const name of rest) {
      const fields = new Set(all[name]?.fields.map(field => field.name));
      await this.#add(name, Object.fromEntries(Object.entries(own).filter(([field]) => fields.has(field))));
    }
    const approval = { approved_by_planner_id: await this.#scene.idOf('planners') };
    await this.#send('PUT', `/assignments/${this.idOf('assignments')}/approve`, approval);
    await this.#add('paysheets');
    return this;
  }

  /** Returns the values of new dynamic fields of employees: a string, a string among many, and a file. */
  async #dynamicFields(file: number): Promise<Record<string, unknown>> {
    const form = await formOf(this.#client, 'employees');
    const values: Record<string, unknown> = {};
    for (const type of ['text', 'file']) {
      const { body } = await this.#send('POST', `/forms/${form}/attributes`, { name: `A ${type}`, type });
      values[`dynamic_field_${body.id}`] = type === 'text' ? `${this.#word} dynamic` : file;
    }
    return values;
  }

  async #add(name: string, changes: Record<string, unknown> = {}): Promise<void> {
    const resource = all[name] as Resource;
    const example = exampleBody(operationOf(name, 'create') as Operation);
    const values: Record<string, unknown> = {};
    for (const field of resource.fields) {
      const [reference] = referencesOf(field);
      if (field.computed || field.access === 'read') continue;
      const owner = reference && this.ids.get(reference.resource);
      if (owner !== undefined && !reference?.when) values[field.name] = owner;
      else if (!reference && isFree(field, resource)) values[field.name] = this.#filled(field, example[field.name]);
    }
    this.ids.set(name, await this.#scene.create(name, { ...values, ...changes }));
  }

  /** Returns a value with the word: in place of the strings of the example that are no numbers, dates or times. */
  #filled({ name, type, format }: Field, example: unknown): unknown {
    if (format === 'email') return `${this.#word}@staff.example`;
    if (format === 'phone') return `+49 30 ${parseInt(this.#word.slice(-4), 16)}`;
    if (type === 'text') return name === 'hash' ? this.#word : `${this.#word} in ${name}`;
    return JSON.parse(
      JSON.stringify(example ?? null, (_, value) =>
        typeof value === 'string' && /^\D/.test(value) ? this.#word : value,
      ),
    );
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const response = await this.#client.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    assert.ok(response.status < 300, `${method} ${path}: ${response.text}`);
    return response;
  }
}

/** What approval derives, and what needs it. */
const derived: ReadonlySet<string> = new Set(['assignment-billings', 'paysheets']);

/** Returns all rows of a client's tables, as the database writes them, by table. */
export const rowsOf = ({ database, tenant }: Client): Promise<ReadonlyMap<string, readonly string[]>> =>
  database.asOwner(tenant.id, async ({ system }) => {
    const { rows: tables } = await sql<{ name: string }>`
      select c.table_name as name from information_schema.columns c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
      where c.table_schema = current_schema() and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
      order by 1`.execute(system);
    const found = new Map<string, readonly string[]>();
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.id(name)} t where tenant_id = ${tenant.id} order by 1`.execute(system);
      found.set(
        name,
        rows.map(({ row }) => row),
      );
    }
    return found;
  });
