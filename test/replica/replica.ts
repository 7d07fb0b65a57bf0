import assert from 'node:assert/strict';
import type { Caller } from './caller.ts';
import { type Copied, copied } from './copied.ts';

type Row = Record<string, unknown>;

interface Entry {
  readonly position: number;
  readonly resource: string;
  readonly id: number;
  readonly change: 'created' | 'updated' | 'deleted';
  /** Undefined: the resource is not the reader's to read. */
  readonly fields?: readonly string[];
  readonly request_id: string | null;
  readonly record: Row | null;
}

/** What the copy reads of the document. */
interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: {
          readonly responses: {
            readonly '200': {
              readonly content: {
                readonly 'application/json': { readonly schema: { readonly items?: { readonly $ref: string } } };
              };
            };
          };
        };
      }
    >
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly 'x-derived-from'?: readonly string[] }>>;
  };
}

const isDynamic = (field: string) => field.startsWith('dynamic_field_');

/**
 * A copy of a tenant's records that is kept in sync by `GET /changes` alone. Of a change it takes only the own fields that the entry
 * names; derived fields it reads again when a resource that `x-derived-from` names has changed.
 */
export class Replica {
  readonly #call: Caller;
  readonly #copied: readonly Copied[];
  readonly #byName: ReadonlyMap<string, Copied>;
  #records = new Map<string, Map<number, Row>>();
  #cursor = '';
  /** The position before the next entry; null: not known yet. */
  #position: number | null = null;
  #changed = new Set<string>();
  /** The resources after whose changes a listing is read again as a whole, by its resource; fields that tenants define change them. */
  #referring = new Map<string, readonly string[]>();
  #stored: {
    records: Map<string, Map<number, Row>>;
    cursor: string;
    position: number | null;
    changed: Set<string>;
  };
  /** What each position had: an entry that is read again is the same. */
  readonly #log = new Map<number, string>();
  /** The first position of each request's changes. */
  readonly positions = new Map<string, number>();

  /** @param resources those that the reader can read; positions have gaps if these are not all */
  constructor(call: Caller, resources: readonly Copied[] = copied) {
    this.#call = call;
    this.#copied = resources;
    this.#byName = new Map(resources.map(resource => [resource.name, resource]));
    this.#stored = { records: new Map(), cursor: '', position: null, changed: new Set() };
  }

  /** Takes the cursor of the present, then reads all listings. */
  async load(): Promise<void> {
    this.#cursor = (await this.#get('/changes?after=now')).next as string;
    this.#records = await this.listings();
    await this.#readDocument();
    this.store();
  }

  /** Reads the reader's own document, which differs if something is hidden from it. */
  async #readDocument(): Promise<void> {
    const { paths, components } = (await this.#get('/openapi.json')) as unknown as OpenApi;
    for (const { name, path } of this.#copied) {
      const { schema } = paths[path]?.get?.responses['200'].content['application/json'] ?? assert.fail(path);
      const record = components.schemas[schema.items?.$ref.split('/').at(-1) ?? ''];
      this.#referring.set(name, record?.['x-derived-from'] ?? []);
    }
  }

  /** Returns the ids of a resource's records. */
  ids(resource: string): readonly number[] {
    return [...(this.#records.get(resource)?.keys() ?? [])];
  }

  /** Returns all records, by resource and id, as the listings show them. */
  async listings(): Promise<Map<string, Map<number, Row>>> {
    const all = new Map<string, Map<number, Row>>();
    // Those below others come after them.
    for (const resource of this.#copied.toSorted((a, b) => Number(a.parent !== null) - Number(b.parent !== null))) {
      const parents = resource.parent === null ? [null] : [...(all.get(resource.parent)?.keys() ?? [])];
      const rows: Row[] = [];
      for (const parent of parents) rows.push(...((await this.#list(resource, parent)) as Row[]));
      all.set(resource.name, new Map(rows.map(row => [Number(row[resource.key]), row])));
    }
    return all;
  }

  /** Reads one page of changes and applies them. @returns whether these were all @param wait seconds */
  async step(limit: number, wait = 0): Promise<boolean> {
    const page = await this.#get(`/changes?after=${this.#cursor}&limit=${limit}&wait=${wait}&include=record`);
    const entries = page.changes as readonly Entry[];
    assert.ok(entries.length <= limit);
    for (const entry of entries) this.#take(entry);
    this.#cursor = page.next as string;
    return page.caught_up === 1;
  }

  /** The position of the last entry that was read. */
  get last(): number | null {
    return this.#position;
  }

  /** Stores the copy with its cursor, as a consumer does in one transaction. */
  store(): void {
    this.#stored = structuredClone({
      records: this.#records,
      cursor: this.#cursor,
      position: this.#position,
      changed: this.#changed,
    });
  }

  /** Goes on from what was stored last. */
  restart(): void {
    const { records, cursor, position, changed } = structuredClone(this.#stored);
    this.#records = records;
    this.#cursor = cursor;
    this.#position = position;
    this.#changed = changed;
  }

  /** Reads the derived fields again whose sources have changed. */
  async refresh(): Promise<void> {
    if (this.#changed.has('attributes')) await this.#readDocument();
    for (const resource of this.#copied) {
      const referring = this.#referring.get(resource.name) ?? [];
      if ([...referring, ...(resource.dynamic ? ['attributes'] : [])].some(name => this.#changed.has(name))) {
        const rows = (await this.#list(resource, null)) as Row[];
        this.#records.set(resource.name, new Map(rows.map(row => [Number(row[resource.key]), row])));
        continue;
      }
      const stale = [...resource.derived].filter(([, sources]) => sources.some(source => this.#changed.has(source)));
      if (stale.length === 0) continue;
      const names = stale.map(([name]) => name);
      assert.equal(resource.parent, null);
      const rows = await this.#get(`${resource.path}?fields=${[resource.key, ...names].join(',')}`);
      for (const row of rows as unknown as Row[]) {
        const own = this.#records.get(resource.name)?.get(Number(row[resource.key]));
        for (const name of names) if (own) own[name] = row[name];
      }
    }
    this.#changed.clear();
  }

  /** Returns how the copy differs from the listings: at most 20 sentences. */
  async differences(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [name, rows] of await this.listings()) {
      const own = this.#records.get(name) ?? new Map<number, Row>();
      for (const id of own.keys()) if (!rows.has(id)) found.push(`${name} ${id} is only in the copy`);
      for (const [id, row] of rows) {
        const copy = own.get(id);
        if (!copy) found.push(`${name} ${id} is missing in the copy`);
        else
          for (const field of new Set([...Object.keys(row), ...Object.keys(copy)])) {
            const [mine, theirs] = [copy, row].map(record => JSON.stringify(record[field]));
            if (mine !== theirs) found.push(`${name} ${id} ${field}: ${mine} in the copy, ${theirs} in the listing`);
          }
      }
    }
    return found.slice(0, 20);
  }

  #take(entry: Entry): void {
    const { position, resource, id, change, fields, record, request_id } = entry;
    const isWhole = this.#copied === copied;
    if (this.#position !== null && isWhole) assert.equal(position, this.#position + 1, 'positions have no gaps');
    assert.ok(this.#position === null || position > this.#position, 'positions ascend');
    this.#position = position;
    const content = [resource, id, change, fields, request_id].join(' ');
    assert.equal(this.#log.get(position) ?? content, content, 'an entry stays the same');
    this.#log.set(position, content);
    if (request_id && !this.positions.has(request_id)) this.positions.set(request_id, position);
    this.#changed.add(resource);
    if (!fields || !this.#byName.has(resource)) return;
    const { own, name } = this.#byName.get(resource) as Copied;
    const records = this.#records.get(name) as Map<number, Row>;
    // A record that is null does not exist for the reader any more.
    if (change === 'deleted' || record === null) records.delete(id);
    else if (change === 'created') records.set(id, record);
    else {
      const copy = records.get(id) ?? (isWhole ? undefined : record);
      assert.ok(copy, `position ${position}: ${resource} ${id} is updated and was not created`);
      for (const [field, value] of Object.entries(record))
        if (!(own.has(field) || isDynamic(field)) || fields.includes(field)) copy[field] = value;
    }
  }

  async #list({ path }: Copied, parent: number | null): Promise<unknown> {
    return this.#get(parent === null ? path : path.replace('{id}', String(parent)));
  }

  /** Sends a GET, again while the server is down. */
  async #get(path: string): Promise<Record<string, unknown>> {
    for (let attempt = 1; ; attempt++) {
      const response = await this.#call('GET', path);
      if (response?.status === 200) return response.body;
      if (response && response.status !== 503)
        assert.fail(`GET ${path}: ${response.status} ${JSON.stringify(response.body)}`);
      assert.ok(attempt < 600, `GET ${path} gets no response`);
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }
}
