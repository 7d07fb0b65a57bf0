import { LRUCache } from 'lru-cache';
import { ApiError } from '../core/errors.ts';
import { type FieldSet, type Fields, fieldsOf } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { Proof, Result, Statement, TenantDb } from '../db/database.ts';
import { type Attribute, attributesOf, attributesStatement, versionOf, versionStatement } from './attributes.ts';
import { extend } from './fields.ts';

/** All attributes of a tenant at one version, and the field sets derived from them so far. */
export interface Snapshot {
  readonly version: string;
  readonly attributes: readonly Attribute[];
  readonly sets: Map<Resource, FieldSet>;
}

/**
 * The request was processed with outdated fields of the tenant, and is retried. A long listing, which is read after the request has
 * been handled, cannot be retried: there the error is the response (503).
 */
class Stale extends ApiError {
  constructor() {
    super('service_unavailable');
  }
}

/** The fields for one attempt at a request, verified in its transactions. */
class Attempt implements Fields, Proof {
  readonly #snapshot: Snapshot;
  readonly statement: Statement;
  /** Whether tenant fields were used. */
  used = false;
  verified = false;

  constructor(snapshot: Snapshot, tenantId: number) {
    this.#snapshot = snapshot;
    this.statement = versionStatement(tenantId);
  }

  of<Name extends string>(resource: Resource<Name>): FieldSet<Name> {
    if (!resource.dynamic) return fieldsOf(resource);
    this.used = true;
    const { attributes, sets } = this.#snapshot;
    const set = sets.get(resource) ?? extend(resource, attributes);
    sets.set(resource, set);
    return set as FieldSet<Name>;
  }

  verify(result: Result): void {
    if (versionOf(result) !== this.#snapshot.version) throw new Stale();
    this.verified = true;
  }
}

/** Maximum number of attempts at a request whose fields keep changing. */
const attempts = 5;

export interface TenantFields {
  /**
   * Calls `work` with the tenant's fields, on a database that verifies them. Fields are cached across requests; each transaction
   * checks their version together with its first statements, in its own snapshot and without another round trip. If it has changed,
   * the transaction is rolled back and `work` is called again with current fields, so that no instance ever uses outdated ones.
   * @throws ApiError service_unavailable (503) if the fields keep changing
   */
  run<T>(db: TenantDb, work: (fields: Fields, db: TenantDb) => Promise<T>): Promise<T>;
  /** Returns the current attributes. */
  read(db: TenantDb): Promise<Snapshot>;
}

/** Creates the cache of tenants' fields. */
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
        // An error before the first verification may be caused by outdated fields.
        const doubtful = attempt.used && !attempt.verified;
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
