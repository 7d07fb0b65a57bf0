import assert from 'node:assert/strict';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Client } from './app.ts';
import { exampleBody, type Operation, operationOf, operations, sampleBody } from './operations.ts';

const table: Readonly<Record<string, Resource>> = resources;

/** Records of one tenant, made through the API from the document's own examples: by resource, the id of one of its records. */
export class Scene {
  readonly #client: Client;
  readonly #ids = new Map<string, number>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** The id of a record of the resource, made (with those it refers to) if there is none yet. */
  async idOf(resource: string): Promise<number> {
    const known = this.#ids.get(resource);
    if (known !== undefined) return known;
    const id = await this.create(resource);
    this.#ids.set(resource, id);
    return id;
  }

  /** A new record, but of those that it refers to the known ones. */
  async #newIdOf(resource: string): Promise<number> {
    const changes: Record<string, number> = {};
    for (const { name, references } of table[resource]?.fields ?? []) {
      if (references && name in exampleBody(operationOf(resource, 'create') as Operation))
        changes[name] = await this.idOf(references);
    }
    return this.create(resource, changes);
  }

  /** Makes one more record of the resource. */
  async create(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const operation = makingOf(resource);
    const body = operation.raw ? sampleBody(operation) : await this.bodyOf(resource, changes);
    const answer = await this.#client.call('POST', operation.path, { body });
    assert.equal(answer.status, 201, `${operation.operationId}: ${answer.text}`);
    return answer.body[table[resource]?.key ?? 'id'];
  }

  /** The example of the resource's create, referring to new records, so that it is like no other where that must be unique. */
  async bodyOf(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = { ...exampleBody(operationOf(resource, 'create') as Operation) };
    for (const { name, references, attribute } of table[resource]?.fields ?? []) {
      if (!(name in body) || name in changes) continue;
      if (references) body[name] = await this.#newIdOf(references);
      // The ids of collection values are a tenant's own.
      else if (attribute?.type === 'select') delete body[name];
    }
    return { ...body, ...changes };
  }
}

/** The operation that makes a record: the verb, or one that takes a record's content. */
const makingOf = (resource: string): Operation =>
  (operationOf(resource, 'create') ??
    operations.find(operation => operation.resource === resource && operation.raw)) as Operation;
