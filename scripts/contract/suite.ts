import { resources } from '../../generated/resources.ts';
import type { Resource } from '../../src/core/resource/resource.ts';
import { document } from '../../test/support/conformance/document.ts';
import { exampleTarget } from '../../test/support/conformance/example-targets.ts';
import { type Operation, operationOf, operations, pathOf } from '../../test/support/operations.ts';
import { OperationCheck } from './findings.ts';
import { Malformed } from './malformed.ts';
import { checkGet, checkListing, checkRead, never, type Visible } from './reads.ts';
import { type ContractTarget, openTarget, type TargetOptions } from './target.ts';
import { Writes } from './writes.ts';

const table: Readonly<Record<string, Resource>> = resources;

export interface SuiteOptions extends TargetOptions {
  /** Whether operations that write are tested, too. */
  readonly write: boolean;
  /** Only operations whose method, path or id contains this. */
  readonly only: string | undefined;
  readonly seed: number;
}

/** What has been found out about one operation. */
export interface OperationResult {
  readonly operation: Operation;
  readonly problems: readonly string[];
  /** Why it has not been tested; null: it has. */
  readonly skipped: string | null;
  readonly requests: number;
}

/** What `GET /me` says of the API user of the token. */
interface OwnAccess {
  readonly modules: readonly string[];
  readonly scopes: readonly string[];
  readonly hidden: readonly string[];
  readonly readOnly: boolean;
  readonly sandbox: boolean;
}

const ownOf = async (target: ContractTarget): Promise<OwnAccess> => {
  const { status, body, text } = await target.ask('GET', '/me');
  if (status !== 200) throw new Error(`GET /me: ${status} ${text.slice(0, 500)}`);
  const { scopes, hidden, read_only } = body.api_user;
  return {
    modules: body.tenant.modules,
    scopes,
    hidden,
    readOnly: read_only === 1,
    sandbox: body.tenant.sandbox === 1,
  };
};

/** Tests the contract operation by operation, and calls `report` after each. */
export const runSuite = async (
  options: SuiteOptions,
  report: (result: OperationResult) => void,
): Promise<{ readonly left: number }> => {
  const target = openTarget(options);
  try {
    const own = await ownOf(target);
    const suite = new Suite(target, own, options);
    const wanted = operations.filter(({ method, path, operationId }) =>
      `${method} ${path} ${operationId}`.includes(options.only ?? ''),
    );
    // Reads first: writes change what they show.
    for (const operation of [...wanted.filter(isRead), ...wanted.filter(one => !isRead(one))])
      report(await suite.run(operation));
    return { left: await suite.clear() };
  } finally {
    target.close();
  }
};

const isRead = ({ method }: Operation): boolean => method === 'GET';

class Suite {
  readonly #target: ContractTarget;
  readonly #own: OwnAccess;
  readonly #write: boolean;
  readonly #writes: Writes;
  readonly #malformed: Malformed;
  /** The first record of each listing. */
  readonly #first = new Map<string, Promise<Readonly<Record<string, unknown>> | null>>();

  constructor(target: ContractTarget, own: OwnAccess, { write, seed }: SuiteOptions) {
    this.#target = target;
    this.#own = own;
    this.#write = write;
    this.#writes = new Writes(target);
    this.#malformed = new Malformed(target, seed);
  }

  async run(operation: Operation): Promise<OperationResult> {
    const findings = new OperationCheck(this.#target, operation);
    const before = this.#target.count();
    let skipped = this.#skips(operation);
    if (skipped === null) {
      const resource = table[operation.resource];
      skipped = isRead(operation) ? await this.#read(findings) : await this.#writes.check(findings, resource);
      const id = resource ? await this.#idOf(resource) : null;
      await this.#malformed.check(findings, this.#visible(operation)?.fields ?? [], Number(id ?? never));
    } else if (operation.module && !this.#own.modules.includes(operation.module) && isRead(operation))
      await findings.rejects(403, 'module_disabled', 'GET', operation.path.replaceAll(/\{[^}]+\}/g, '1'));
    else if (operation.sandbox && !this.#own.sandbox && isRead(operation))
      await findings.rejects(403, 'forbidden', 'GET', operation.path);
    return { operation, problems: findings.problems, skipped, requests: this.#target.count() - before };
  }

  clear(): Promise<number> {
    return this.#writes.clear();
  }

  #skips({ method, module, resource, sandbox }: Operation): string | null {
    const { modules, scopes, readOnly } = this.#own;
    if (module && !modules.includes(module)) return `the tenant does not have the module ${module}`;
    if (sandbox && !this.#own.sandbox) return 'the tenant is not a sandbox';
    const wanted = method === 'GET' ? 'read' : 'write';
    const isAllowed = [`${resource}:${wanted}`, `*:${wanted}`].some(scope => scopes.includes(scope));
    if (scopes.length > 0 && table[resource] && !isAllowed)
      return `the API user does not have the scope ${resource}:${wanted}`;
    if (method === 'GET') return null;
    if (!this.#write) return 'it writes: --write tests it';
    return readOnly ? 'the API user is read-only' : null;
  }

  /** Returns what the API user sees of the operation's resource; null: it does not show records of one. */
  #visible({ resource: name }: Operation): Visible | null {
    const resource = table[name];
    if (!resource) return null;
    const { hidden, modules, scopes } = this.#own;
    const isReadable = (related: string) => {
      const module = table[related]?.module;
      const isAllowed = scopes.length === 0 || scopes.includes('*:read') || scopes.includes(`${related}:read`);
      return isAllowed && (!module || modules.includes(module));
    };
    return {
      resource,
      fields: resource.fields.filter(({ sensitive }) => !sensitive || !hidden.includes(sensitive)),
      relations: hidden.length > 0 ? [] : resource.relations.filter(({ resource }) => isReadable(resource)),
    };
  }

  async #read(findings: OperationCheck): Promise<string | null> {
    const { operation } = findings;
    const path = await this.#pathOf(operation);
    if (path === null) return 'the tenant has no record for it';
    const visible = this.#visible(operation);
    if (operation.queries.includes('cursor') && visible) await checkListing(findings, path, visible);
    else if (operation.verb === 'read' && visible) {
      await checkRead(findings, path, visible, operation.externalId ? null : await this.#firstOf(operation.resource));
      await findings.rejects(404, 'not_found', 'GET', pathOf(operation, never));
    } else if (operation.placeholders.length > 0 && !operation.respondsWithJson)
      await findings.expect([200, 404], 'GET', path);
    else await checkGet(findings, path, { isOpen: operation.open });
    return null;
  }

  /** Returns the path of a GET with the ids of an existing record; null: there is none. */
  async #pathOf(operation: Operation): Promise<string | null> {
    const { path, parent, placeholders, externalId } = operation;
    const inDocument = document.paths[path]?.get;
    const example = inDocument ? exampleTarget(path, inDocument) : path;
    if (placeholders.length === 0 && !example.includes('?')) return path;
    const resource = table[operation.resource];
    if (!resource) return null;
    const record = await this.#firstOf(resource.name);
    const id = record?.[resource.key];
    const container = parent ? (record?.[parent.field] ?? (await this.#idOf(table[parent.resource] as Resource))) : id;
    const values = placeholders.map((name, index) =>
      name === externalId ? record?.[resource.externalKey ?? ''] : index === 0 ? container : id,
    );
    if (values.some(value => value === undefined || value === null)) return null;
    const filled = placeholders.reduce(
      (text, name, index) => text.replace(`{${name}}`, encodeURIComponent(String(values[index]))),
      path,
    );
    const [, query] = example.split('?');
    if (query === undefined) return filled;
    if (id === undefined) return null;
    return `${filled}?${query.replace(/^(\w*id)=\d+.*$/, `$1=${id}`)}`;
  }

  async #idOf(resource: Resource): Promise<unknown> {
    return (await this.#firstOf(resource.name))?.[resource.key] ?? null;
  }

  #firstOf(name: string): Promise<Readonly<Record<string, unknown>> | null> {
    const known = this.#first.get(name) ?? this.#readFirst(name);
    this.#first.set(name, known);
    return known;
  }

  async #readFirst(name: string): Promise<Readonly<Record<string, unknown>> | null> {
    const list = operationOf(name, 'list');
    if (!list) return null;
    const container = list.parent ? await this.#idOf(table[list.parent.resource] as Resource) : '';
    if (container === null) return null;
    const path = list.path.replaceAll(/\{[^}]+\}/g, String(container));
    const { externalKey } = table[name] ?? {};
    const named = externalKey ? await this.#target.ask('GET', `${path}?limit=1&${externalKey}=-null`) : null;
    const { body } = named?.body?.length > 0 && named ? named : await this.#target.ask('GET', `${path}?limit=1`);
    return body?.[0] ?? null;
  }
}
