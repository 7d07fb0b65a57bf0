import { ApiError } from '../core/errors.ts';
import { type FieldSet, type Fields, fieldsOf, type TenantRule } from '../core/resource/fields.ts';
import type { Resource } from '../core/resource/resource.ts';
import { CountedCache } from '../core/tally.ts';
import type { Result, TenantDb } from '../db/database.ts';
import { tenantStatement } from '../db/enter.ts';
import { DatabaseError } from '../db/errors.ts';
import type { Earlier } from '../db/journal/snapshots.ts';
import { type Attribute, attributesOf, attributesStatement } from './attributes.ts';
import { extend } from './fields.ts';
import { workRulesOf, workRulesStatement } from './work-rules.ts';

/**
 * All attributes of a tenant in one version, and the fields of all resources with them.
 * Its working-time rules come along.
 */
export interface FieldsSnapshot {
  readonly version: string;
  readonly attributes: readonly Attribute[];
  readonly fields: Fields;
}

/** The versions of the fields and the snapshots of the transactions that have verified them. */
export type Seen = Omit<Earlier, 'resources'>[];

/**
 * Maximum number of attempts at a request whose fields keep changing.
 * While others write collections all the time, one in seven fails.
 */
const attempts = 20;

export interface TenantFields {
  /**
   * Calls `work` with the tenant's fields, on a database that verifies them.
   * Fields are cached across requests; each transaction checks their version together with its first statements, in
   * its own snapshot and without another round trip. If it has changed, the transaction is rolled back and `work` is
   * called again with current fields, so that no instance ever uses outdated ones.
   * @param seen each transaction is added once it has verified the fields
   * @throws ApiError service_unavailable (503) if the fields keep changing
   */
  run<T>(db: TenantDb, work: (fields: Fields, db: TenantDb) => Promise<T>, seen?: Seen): Promise<T>;
  /** Returns the current attributes. */
  read(db: TenantDb): Promise<FieldsSnapshot>;
}

/** Creates the cache of tenants' fields. */
export const createTenantFields = (resources: Readonly<Record<string, Resource>>): TenantFields => {
  const known = new CountedCache<number, FieldsSnapshot>('fields', { max: 1000 });

  const load = async (db: TenantDb): Promise<FieldsSnapshot> => {
    const { id } = db.tenant;
    const statements = [versionStatement(id), attributesStatement(id), workRulesStatement(id)];
    const [version, attributes, rules] = await db.read(...statements);
    const snapshot = snapshotOf(resources, versionOf(version), attributesOf(attributes), workRulesOf(rules));
    known.set(id, snapshot);
    return snapshot;
  };

  const isCurrent = async (db: TenantDb, { version }: FieldsSnapshot): Promise<boolean> => {
    const [result] = await db.read(versionStatement(db.tenant.id));
    return versionOf(result) === version;
  };

  const run: TenantFields['run'] = async (db, work, seen) => {
    let snapshot = known.get(db.tenant.id) ?? (await load(db));
    for (let left = attempts; left > 0; left--) {
      const proving = db.proving({
        statement: provingStatement(db.tenant.id, snapshot.version),
        ...(seen && { verified: ([version], entered) => version && seen.push({ version, ...entered }) }),
      });
      try {
        return await work(snapshot.fields, proving);
      } catch (error) {
        const kind = error instanceof DatabaseError ? error.kind : null;
        // Another error from before the proof may be due to outdated fields, but for that of a database which does not respond.
        const mayBe = kind !== 'unavailable' && !proving.proved;
        const isOutdated = kind === 'stale' || (mayBe && !(await isCurrent(db, snapshot)));
        if (!isOutdated) throw error;
        snapshot = await load(db);
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

/**
 * Reads the version of a tenant's fields.
 * It changes with the tenant's attributes, collections and their values, and with its working-time rules.
 */
export const versionStatement = tenantStatement(
  'dynamic_version',
  'select version from dynamic_versions where tenant_id = $1 and id = 1',
);

/**
 * Reads the same, and fails (see stale_fields) unless the version is the given one.
 * empty: there is none. Without a given one, which a connection only learns it with, it does not fail.
 */
const provingStatement = tenantStatement(
  'dynamic_proof',
  `select f.version
    from (select (select version from dynamic_versions where tenant_id = $1 and id = 1) as version) f
    where case when coalesce(f.version::text, '') <> $2 then stale_fields() else true end`,
);

/** Returns the version that `versionStatement` has read. */
const versionOf = (result: Result | undefined): string => result?.rows[0]?.[0] ?? '';

const snapshotOf = (
  resources: Readonly<Record<string, Resource>>,
  version: string,
  attributes: readonly Attribute[],
  rules: readonly TenantRule[],
): FieldsSnapshot => {
  const sets = Object.values(resources).map((resource): [Resource, FieldSet] => [
    resource,
    resource.dynamic ? extend(resource, attributes) : fieldsOf(resource),
  ]);
  const categories = new Map(attributes.flatMap(({ id, category }) => (category === null ? [] : [[id, category]])));
  return { version, attributes, fields: Object.assign(new Map(sets), { categories, rules }) as Fields };
};
