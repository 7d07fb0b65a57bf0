import assert from 'node:assert/strict';
import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Client } from './app.ts';
import { exampleBody, type Operation, operationOf } from './operations.ts';

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

  /** A new record of what ties several others together, such as an assignment: two of the same may not be. Otherwise the known one. */
  #referenceTo(resource: string): Promise<number> {
    const ties = (table[resource]?.fields ?? []).filter(({ references, required }) => references && required);
    return ties.length > 1 ? this.create(resource) : this.idOf(resource);
  }

  /** Makes one more record of the resource. */
  async create(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const operation = operationOf(resource, 'create') as Operation;
    const answer = await this.#client.call('POST', operation.path, { body: await this.bodyOf(resource, changes) });
    assert.equal(answer.status, 201, `${operation.operationId}: ${answer.text}`);
    return answer.body[table[resource]?.key ?? 'id'];
  }

  /** The example of the resource's create, with references to records of this scene. */
  async bodyOf(resource: string, changes: Readonly<Record<string, unknown>> = {}): Promise<Record<string, unknown>> {
    const body: Record<string, unknown> = { ...exampleBody(operationOf(resource, 'create') as Operation) };
    for (const { name, references, attribute } of table[resource]?.fields ?? []) {
      if (!(name in body) || name in changes) continue;
      if (references) body[name] = await this.#referenceTo(references);
      // The ids of collection values are a tenant's own.
      else if (attribute?.type === 'select') delete body[name];
    }
    return { ...body, ...changes };
  }
}
