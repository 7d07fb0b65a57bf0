import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { resources } from '../../generated/resources.ts';
import { encode } from '../../src/core/resource/codec.ts';
import { type Reference, referencesOf } from '../../src/core/resource/references.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { newId } from '../../src/db/ids.ts';
import { isSelect } from '../../src/engine/references/collection.ts';
import type { Client } from './app.ts';
import { exampleBody, type Operation, operationOf, operations, pathOf, sampleBody } from './operations.ts';
import { outdate } from './outdate.ts';

const table: Readonly<Record<string, Resource>> = resources;

const { components } = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

/** Returns the document's example record of a resource. */
const exampleRecord = (resource: string): Readonly<Record<string, never>> => {
  const { singular } = table[resource] as Resource;
  const name = singular.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  return (components.schemas[name] ?? components.schemas[`${name}WithRelations`]).examples[0];
};

/** A client, with the database that has its tenant; without it, records can only be created through the API. */
type SceneClient = Pick<Client, 'call'> & Partial<Pick<Client, 'database' | 'tenant'>>;

/** The number of identifiers that records have got: they are unique. */
let identifiers = 0;

/** Creates records of one tenant from the document's examples, and remembers one of each resource. */
export class Scene {
  readonly #client: SceneClient;
  readonly #ids = new Map<string, number>();
  /** The records that have been created, in this order. */
  readonly created: { readonly resource: string; readonly id: number }[] = [];

  constructor(client: SceneClient) {
    this.#client = client;
  }

  /** Returns the id of the remembered record of a resource, created with the records it refers to if there is none yet; 0 of no resource. */
  async idOf(resource: string): Promise<number> {
    if (resource === '') return 0;
    const known = this.#ids.get(resource);
    if (known !== undefined) return known;
    const id = await this.create(resource);
    this.#ids.set(resource, id);
    return id;
  }

  /** Returns the path of an operation for a record, below the remembered record of its parent. */
  async pathOf(operation: Operation, id = 0): Promise<string> {
    // An action on a nested record.
    const nested = operations.find(
      ({ verb, parent, path }) => verb === 'read' && parent && operation.path.startsWith(`${path}/`),
    );
    if (nested?.parent && !operation.parent)
      return pathOf(
        { ...operation, parent: nested.parent },
        await this.idOf(nested.resource),
        await this.idOf(nested.parent.resource),
      );
    return pathOf(operation, id, operation.parent ? await this.idOf(operation.parent.resource) : id);
  }

  /** Returns the path of a record. */
  recordPath(resource: string, id: number): Promise<string> {
    return this.pathOf(operationOf(resource, 'read') as Operation, id);
  }

  /**
   * Creates a record that refers to the remembered records, except that the first one is new, too, since two references may be unique
   * together.
   */
  async #newIdOf(resource: string, known: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const create = operationOf(resource, 'create');
    if (!create) return this.idOf(resource);
    const changes: Record<string, unknown> = {};
    const referring = table[resource]?.fields.filter(
      field => referencesOf(field).length > 0 && exampleBody(create)[field.name],
    );
    const names = referring?.map(({ name }) => name) ?? [];
    // Where the record and one that it refers to refer to a third, as projects and contacts to clients, that is the same.
    const shares = (field: Field) =>
      referencesOf(field).some(reference => table[reference.resource]?.fields.some(({ name }) => names.includes(name)));
    for (const field of referring?.slice(1).filter(field => !shares(field)) ?? [])
      changes[field.name] = await this.#reference(field, exampleBody(create), name => this.idOf(name));
    for (const name of names) if (Object.hasOwn(known, name)) changes[name] = known[name];
    return this.create(resource, changes);
  }

  /** Creates a record of the resource and returns its id: through the API or, for resources that are only read, in the database. */
  async create(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const { called, key: identity, relations } = table[resource] as Resource;
    const origin = relations.find(({ from }) => from === identity);
    // The rows of a function are not stored: the key is that of the record they are about.
    if (called && origin) return this.idOf(origin.resource);
    const operation = makingOf(resource);
    if (!operation) return this.#insert(resource);
    const path = await this.pathOf(operation);
    const body = operation.raw ? sampleBody(operation) : await this.bodyOf(resource, changes);
    const response = await this.#client.call('POST', path, { body });
    assert.equal(response.status, 201, `${operation.operationId}: ${response.text}`);
    const id: number = response.body[identity];
    this.created.push({ resource, id });
    await this.#nameExternally(resource, id);
    return id;
  }

  /** Returns the example body of the resource's create with references to new records, so that unique combinations do not repeat. */
  async bodyOf(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = { ...exampleBody(operationOf(resource, 'create') as Operation) };
    const made: Record<string, unknown> = { ...changes };
    for (const field of table[resource]?.fields ?? []) {
      const { name } = field;
      if (!body[name] || name in changes) continue;
      if (referencesOf(field).length > 0) {
        made[name] = body[name] = await this.#reference(field, body, referred => this.#newIdOf(referred, made));
        if (needsApproval(resource, name)) await this.approve(Number(body[name]));
      } else if (name === 'identifier') body[name] = `${body[name]}-${++identifiers}`;
      // The ids of collection values differ between tenants.
      else if (isSelect(field)) delete body[name];
    }
    return { ...body, ...changes };
  }

  /** Approves an assignment, with a wage that is paid for it. */
  async approve(assignmentId: number): Promise<void> {
    await this.create('assignment-wages', { assignment_id: assignmentId });
    const body = { approved_by_planner_id: await this.idOf('planners') };
    const response = await this.#client.call('PUT', `/assignments/${assignmentId}/approve`, { body });
    assert.equal(response.status, 200, response.text);
  }

  /** Pays an approved assignment. */
  async pay(assignmentId: number): Promise<void> {
    const body = { paid_on: '2026-07-01T10:00:00Z' };
    const response = await this.#client.call('PUT', `/assignments/${assignmentId}/pay`, { body });
    assert.equal(response.status, 200, response.text);
  }

  /** Returns a value for a field that refers to records: an id, a list of one, or another field of that record. */
  async #reference(
    field: Field,
    body: Readonly<Record<string, unknown>>,
    idOf: (resource: string) => Promise<number>,
  ): Promise<unknown> {
    const reference = referencesOf(field).find(({ when }) => !when || body[when.field] === when.value);
    if (!reference) return body[field.name];
    if (field.type === 'json') return [await this.idOf(reference.resource)];
    return this.referenceTo(reference, await idOf(reference.resource));
  }

  /** Returns what a field with that reference contains for a record: its id, or another field of it. */
  async referenceTo({ resource, by }: Reference, id: number): Promise<number | string> {
    if (!by) return id;
    return (await this.#client.call('GET', await this.recordPath(resource, id))).body[by];
  }

  /** Gives a record the text of its id as its external id, so that `pathOf` finds it by both. */
  async #nameExternally(resource: string, id: number): Promise<void> {
    const { externalKey, key, table: into } = table[resource] as Resource;
    if (externalKey === undefined) return;
    const { database, tenant } = this.#client;
    if (!database || !tenant) {
      const body = { [externalKey]: String(id) };
      await this.#client.call('PUT', await this.recordPath(resource, id), { body });
      return;
    }
    const name = sql.id(externalKey);
    await database.asOwner(tenant.id, async ({ system }) => {
      await sql`update ${sql.id(into)} set ${name} = ${String(id)}
        where tenant_id = ${tenant.id} and ${sql.id(key)} = ${id} and ${name} is null`.execute(system);
      await outdate(tenant.id, system);
    });
  }

  async #insert(resource: string): Promise<number> {
    const { fields, table: into, key, readOwn } = table[resource] as Resource;
    const { database, tenant } = this.#client;
    if (!database || !tenant) throw new Error(`Records of ${resource} cannot be created through the API.`);
    const example = exampleRecord(resource);
    const values: Record<string, unknown> = {};
    for (const { name, type, computed, references } of fields) {
      if (computed || name === key) continue;
      values[name] = references && example[name] ? await this.idOf(references) : encode(type, example[name] ?? null);
    }
    const { parent } = operationOf(resource, 'list') ?? {};
    if (parent && !fields.some(({ name }) => name === parent.field))
      values[parent.field] = await this.idOf(parent.resource);
    if (resource === 'imports') Object.assign(values, { parameters: '', format: 'csv', size: 0 });
    return database.asOwner(tenant.id, async transaction => {
      const users = transaction.kysely.selectFrom('api_users').select(({ fn }) => fn.min('id').as('id'));
      const { id: user } = await users.executeTakeFirstOrThrow();
      if (readOwn && !readOwn.about) values[readOwn.own] = user;
      if (resource === 'imports') values.api_user_id = user;
      const id = await newId(transaction, into);
      const columns = sql.join(['tenant_id', key, ...Object.keys(values)].map(name => sql.id(name)));
      const row = sql.join([tenant.id, id, ...Object.values(values)].map(value => sql`${value}`));
      await sql`insert into ${sql.id(into)} (${columns}) values (${row})`.execute(transaction.system);
      await outdate(tenant.id, transaction.system);
      return id;
    });
  }
}

/** Returns whether a field refers to approved assignments only. */
export const needsApproval = (resource: string, field: string): boolean =>
  resource === 'paysheets' && field === 'assignment_id';

/** Returns the operation that creates a record: the verb, or an upload; undefined if there is none. */
const makingOf = (resource: string): Operation | undefined =>
  operationOf(resource, 'create') ?? operations.find(operation => operation.resource === resource && operation.raw);
