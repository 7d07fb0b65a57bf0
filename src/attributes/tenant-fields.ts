import { LRUCache } from 'lru-cache';
import { ApiError } from '../core/errors.ts';
import { type FieldSet, type Fields, fieldsOf } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { Proof, Result, Statement, TenantDb } from '../db/database.ts';
import { type Attribute, attributesOf, attributesStatement, versionOf, versionStatement } from './attributes.ts';
import { extend } from './fields.ts';

/** All attributes of a tenant at one moment, and the sets of fields made of them so far. */
export interface Snapshot {
  readonly version: string;
  readonly attributes: readonly Attribute[];
  readonly sets: Map<Resource, FieldSet>;
}

/**
 * The fields that work was done with are not, or no longer, those of the tenant. What is read only once the request has been handled,
 * as long listings are, cannot be done again: there it is the answer.
 */
class Stale extends ApiError {
  constructor() {
    super('service_unavailable');
  }
}

/** The fields for one attempt at a request, which proves them: remembers whether they were asked for, and whether they have been proved. */
class Attempt implements Fields, Proof {
  readonly #snapshot: Snapshot;
  readonly statement: Statement;
  asked = false;
  proved = false;

  constructor(snapshot: Snapshot, tenantId: number) {
    this.#snapshot = snapshot;
    this.statement = versionStatement(tenantId);
  }

  of<Name extends string>(resource: Resource<Name>): FieldSet<Name> {
    if (!resource.dynamic) return fieldsOf(resource);
    this.asked = true;
    const { attributes, sets } = this.#snapshot;
    const set = sets.get(resource) ?? extend(resource, attributes);
    sets.set(resource, set);
    return set as FieldSet<Name>;
  }

  verify(result: Result): void {
    if (versionOf(result) !== this.#snapshot.version) throw new Stale();
    this.proved = true;
  }
}

/** How often a request may find that the tenant's fields have just changed. */
const attempts = 5;

export interface TenantFields {
  /**
   * Does work with the tenant's fields, on a database that proves them. They are remembered from request to request; whether they
   * still hold is read with the first statements of each transaction, in its own snapshot and in the same trip. If they don't, what
   * was done is taken back and done once more with those that do, so that no instance ever uses fields of the past.
   */
  run<T>(db: TenantDb, work: (fields: Fields, db: TenantDb) => Promise<T>): Promise<T>;
  /** The attributes as they are now. */
  read(db: TenantDb): Promise<Snapshot>;
}

/** The fields of a database's tenants. */
export const createTenantFields = (): TenantFields => {
  const known = new LRUCache<number, Snapshot>({ max: 1000 });

  const load = async (db: TenantDb): Promise<Snapshot> => {
    const { id } = db.tenant;
    const [version, attributes] = await db.read(versionStatement(id), attributesStatement(id));
    const snapshot = { version: versionOf(version), attributes: attributesOf(attributes), sets: new Map() };
    known.set(id, snapshot);
    return snapshot;
  };

  const isCurrent = async (db: TenantDb, { version }: Snapshot): Promise<boolean> => {
    const [result] = await db.read(versionStatement(db.tenant.id));
    return versionOf(result) === version;
  };

  const run: TenantFields['run'] = async (db, work) => {
    for (let left = attempts; left > 0; left--) {
      const snapshot = known.get(db.tenant.id) ?? (await load(db));
      const attempt = new Attempt(snapshot, db.tenant.id);
      try {
        return await work(attempt, db.proving(attempt));
      } catch (error) {
        // An error that came before anything was read may be one that the fields of the past have made.
        const doubtful = attempt.asked && !attempt.proved;
        if (!(error instanceof Stale) && !(doubtful && !(await isCurrent(db, snapshot)))) throw error;
        await load(db);
      }
    }
    throw new ApiError('service_unavailable');
  };

  return {
    run,
    async read(db) {
      const snapshot = known.get(db.tenant.id);
      return snapshot && (await isCurrent(db, snapshot)) ? snapshot : load(db);
    },
  };
};
