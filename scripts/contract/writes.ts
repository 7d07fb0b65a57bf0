import type { Resource } from '../../src/core/resource/resource.ts';
import { bodyFor, type Operation, operationOf, pathOf } from '../../test/support/operations.ts';
import { Scene } from '../../test/support/scene.ts';
import type { OperationCheck } from './findings.ts';
import { never } from './reads.ts';
import type { ContractTarget } from './target.ts';

/** Creates and removes records, to test the operations that write. */
export class Writes {
  readonly #scene: Scene;
  readonly #target: ContractTarget;

  constructor(target: ContractTarget) {
    this.#target = target;
    this.#scene = new Scene({ call: target.ask });
  }

  /** Tests the operation; returns why it cannot be, or null. */
  async check(findings: OperationCheck, resource: Resource | undefined): Promise<string | null> {
    const { operation } = findings;
    await this.#checkRejections(findings);
    try {
      if (operation.verb === 'create' && resource && !operation.raw) await this.#checkCreate(findings, resource);
      else return await this.#checkRehearsal(findings, resource);
      return null;
    } catch (error) {
      return `its record could not be created: ${error instanceof Error ? error.message.slice(0, 300) : error}`;
    }
  }

  /**
   * Requests that change nothing.
   * They have no token, an invalid body, a body of another type, or the id of no record.
   */
  async #checkRejections(findings: OperationCheck): Promise<void> {
    const { method, raw, takesBody, placeholders, path: template } = findings.operation;
    const path = placeholders.reduce((text, name) => text.replace(`{${name}}`, String(never)), template);
    await findings.rejects(401, 'missing_token', method, path, { headers: { Authorization: '' } });
    if (!takesBody || raw) return;
    await findings.expect([400, 404], method, path, { body: '{"a":' });
    await findings.expect([415, 404], method, path, { body: '{}', headers: { 'Content-Type': 'text/plain' } });
  }

  async #checkCreate(findings: OperationCheck, { name, key, fields }: Resource): Promise<void> {
    const { operation } = findings;
    const path = await this.#scene.pathOf(operation);
    const body = await this.#scene.bodyOf(name);
    if (operation.parent) delete body[operation.parent.field];
    await findings.rejects(422, 'validation_failed', 'POST', path, { body: { ...body, no_such_field: 1 } });
    const tried = await findings.expect([201], 'POST', `${path}?dry_run=true`, { body });
    const headers = { 'Idempotency-Key': `contract-${crypto.randomUUID()}` };
    const made = await findings.expect([201], 'POST', path, { body, headers });
    if (!made) return;
    this.#scene.created.push({ resource: name, id: made.body[key] });
    const again = await findings.expect([201], 'POST', path, { body, headers });
    findings.check(again?.body[key] === made.body[key], `POST ${path}: the Idempotency-Key has created two records`);
    for (const [field, value] of Object.entries(body)) {
      const wanted = JSON.stringify(value);
      // Objects are completed.
      if (fields.some(({ name, type }) => name === field && type !== 'json'))
        findings.check(JSON.stringify(made.body[field]) === wanted, `POST ${path}: ${field} is not stored as sent`);
    }
    findings.check(
      !tried || Object.keys(tried.body).length === Object.keys(made.body).length,
      `POST ${path}: the dry run has other fields`,
    );
    const location = String(made.headers.location).replace('/api/v1', '');
    const read = await findings.expect([200], 'GET', location);
    findings.check(!read || read.text === made.text, `POST ${path}: the record at Location is another one`);
  }

  /**
   * Sends a valid request for a record of the resource, as a dry run where there is one.
   * Returns why it cannot, or null.
   */
  async #checkRehearsal(findings: OperationCheck, resource: Resource | undefined): Promise<string | null> {
    const { operation } = findings;
    if (!operation.queries.includes('dry_run')) return null;
    const id = resource ? await this.#idOf(resource) : never;
    const path = await this.#pathOf(operation, id);
    const record = operation.verb === 'update' && !operation.parent ? await findings.ask('GET', path) : null;
    const body = record?.status === 200 ? record.body : bodyFor(operation, id);
    const response = await findings.ask(operation.method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, {
      ...(body !== undefined && { body }),
    });
    // Only other operations create its records, and the tenant has none.
    if (resource && id === never && response.status === 404) return 'the tenant has no record for it';
    const isRight =
      operation.verb === 'update' || operation.verb === 'delete'
        ? response.status < 300 || response.status === 409
        : response.status < 500;
    findings.check(isRight, `${operation.method} ${path}: status ${response.status} ${response.text.slice(0, 200)}`);
    return null;
  }

  /** Returns the path of a record, below the record that it belongs to. */
  async #pathOf(operation: Operation, id: number): Promise<string> {
    const { parent, placeholders, resource } = operation;
    if (!parent || placeholders.length === 0) return this.#scene.pathOf(operation, id);
    const own = await this.#target.ask('GET', await this.#scene.recordPath(resource, id));
    return pathOf(operation, id, own.body?.[parent.field] ?? (await this.#scene.idOf(parent.resource)));
  }

  async #idOf(resource: Resource): Promise<number> {
    if (operationOf(resource.name, 'create')) return this.#scene.idOf(resource.name);
    const list = operationOf(resource.name, 'list');
    const found = list && (await this.#target.ask('GET', `${await this.#scene.pathOf(list)}?limit=1`));
    return found?.body?.[0]?.[resource.key] ?? never;
  }

  /**
   * Removes what has been created, newest first.
   * What others refer to stays. Returns the number of records that are left.
   */
  async clear(): Promise<number> {
    let left = this.#scene.created.toReversed();
    // Once more, as long as something could be removed: what referred to the rest is gone.
    for (let before = Number.POSITIVE_INFINITY; left.length < before && left.length > 0; ) {
      before = left.length;
      const kept = [];
      for (const record of left) if (!(await this.#remove(record))) kept.push(record);
      left = kept;
    }
    return left.length;
  }

  async #remove({ resource, id }: Scene['created'][number]): Promise<boolean> {
    const remove = operationOf(resource, 'delete');
    return remove !== undefined && (await this.#target.ask('DELETE', await this.#pathOf(remove, id))).status < 300;
  }
}
