import { LRUCache } from 'lru-cache';
import type { TenantFields } from '../../attributes/tenant-fields.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Result, Statement, TenantDb } from '../../db/database.ts';
import { type CollectionChoice, tenantDocument } from './document.ts';

/** The document of a tenant, and a tag that changes with it. */
export interface TenantDocument {
  readonly tag: string;
  readonly document: object;
}

interface Published {
  readonly document: object;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly databaseOf: (tenant: Tenant) => TenantDb;
}

/**
 * Returns a function that returns a tenant's document for an API user, without what is hidden from it.
 * Cached until the tenant's modules, fields, collections or their values change.
 */
export const createTenantDocuments = ({ document, resources, databaseOf }: Published, fields: TenantFields) => {
  // Few are kept: each has several megabytes and takes less time to create than to send.
  const known = new LRUCache<string, TenantDocument>({ max: 10 });
  return async ({ tenant, apiUser }: Principal): Promise<TenantDocument> => {
    const db = databaseOf(tenant);
    const { version, attributes } = await fields.read(db);
    const hidden = apiUser.hidden.toSorted();
    const tag = [version, ...[...tenant.modules].sort(), '-', ...hidden].join(' ');
    const key = [tenant.id, ...hidden].join(' ');
    const remembered = known.get(key);
    if (remembered?.tag === tag) return remembered;
    const [choices] = await db.read(choicesStatement(tenant.id));
    const details = { modules: tenant.modules, attributes, choices: choicesOf(choices), hidden };
    const made = { tag, document: tenantDocument(document, resources, details) };
    known.set(key, made);
    return made;
  };
};

/** Reads the choices of the tenant's attributes. */
const choicesStatement = (tenantId: number): Statement => ({
  name: 'dynamic_choices',
  text: `
    select v.id, v.collection_id, v.name, v.deleted from collection_values v
    where v.tenant_id = $1 and v.collection_id in (select a.collection_id from attributes a where a.tenant_id = $1)
    order by v.collection_id, v."order", v.id`,
  values: [String(tenantId)],
});

const choicesOf = (result: Result | undefined): readonly CollectionChoice[] =>
  (result?.rows ?? []).map(([id, collectionId, name, deleted]) => ({
    id: Number(id),
    collectionId: Number(collectionId),
    name: name ?? '',
    deleted: deleted === 't',
  }));
