import { sql } from 'kysely';
import { resources } from '../../../generated/resources.ts';
import { renewStatement } from '../../attributes/registration.ts';
import { administration } from '../../core/origin.ts';
import type { Tenant } from '../../core/principal.ts';
import type { Module } from '../../core/resource/modules.ts';
import { newId, withIds } from '../../db/ids.ts';
import type { Database } from '../../db/open.ts';
import type { OwnerTransaction } from '../../db/owner.ts';
import { InputError } from '../../tenancy/names.ts';
import { collections, forms, language, restRule, wageProfile } from './predefined.ts';

/** The properties of a new tenant. */
export interface NewTenant {
  readonly slug: string;
  readonly name: string;
  readonly timeZone: string;
  readonly modules: readonly Module[];
  /** Host names in addition to the one under the base domain. */
  readonly hosts: readonly string[];
  /** Requests per period and API user; by default the limit of the server's configuration. */
  readonly rateLimit?: number | null;
  /** Whether it is for testing an integration. */
  readonly sandbox?: boolean;
}

/**
 * Adds host names of a tenant.
 * @throws InputError if one of them is under the base domain, or a tenant has it
 */
export const addHosts = async (
  { system, tenantId }: Pick<OwnerTransaction, 'system' | 'tenantId'>,
  hosts: readonly string[],
  baseDomain: string,
): Promise<void> => {
  for (const host of hosts) {
    if (host.endsWith(`.${baseDomain}`))
      throw new InputError(`${host} lies under ${baseDomain}, where each tenant's slug is its host name`);
    const added = await system
      .insertInto('tenant_hosts')
      .values({ host, tenant_id: tenantId })
      .onConflict(conflict => conflict.column('host').doNothing())
      .returning('host')
      .executeTakeFirst();
    if (added) continue;
    const used = await system
      .selectFrom('tenant_hosts')
      .innerJoin('tenants', 'tenants.id', 'tenant_hosts.tenant_id')
      .select('tenants.slug')
      .where('tenant_hosts.host', '=', host)
      .executeTakeFirst();
    throw new InputError(`${host} addresses the tenant "${used?.slug}" already`);
  }
};

/** Attribute ids up to this one are reserved for predefined attributes. */
const PREDEFINED_IDS = 1000;

/** Adds the predefined collections; returns their ids by identifier. */
const addCollections = async (transaction: OwnerTransaction): Promise<ReadonlyMap<string, number>> => {
  const ids = new Map<string, number>();
  for (const { identifier, name, editable = false, values } of collections) {
    const id = await newId(transaction, 'collections');
    await transaction.kysely
      .insertInto('collections')
      .values({ id, identifier, name, editable, visible: true, deleted: false })
      .execute();
    ids.set(identifier, id);
    if (values.length === 0) continue;
    const rows = values.map(([value, label], index) => ({
      collection_id: id,
      identifier: value,
      name: label,
      order: index + 1,
      editable: false,
      visible: true,
      deleted: false,
    }));
    await transaction.kysely
      .insertInto('collection_values')
      .values(await withIds(transaction, 'collection_values', rows))
      .execute();
  }
  return ids;
};

const addForms = async (
  transaction: OwnerTransaction,
  languageId: number,
  collectionIds: ReadonlyMap<string, number>,
): Promise<void> => {
  for (const { entity, name, attributes } of forms) {
    const id = await newId(transaction, 'forms');
    await transaction.kysely.insertInto('forms').values({ id, identifier: entity, name, entity }).execute();
    await transaction.kysely
      .insertInto('attributes')
      .values(
        attributes.map((attribute, index) => ({
          id: attribute.id,
          entity_id: id,
          identifier: attribute.field,
          name: attribute.name,
          type: attribute.type,
          collection_id: attribute.collection === undefined ? null : (collectionIds.get(attribute.collection) ?? null),
          language_id: languageId,
          required: attribute.required ?? false,
          category: categoryOf(entity, attribute.field),
          order: index + 1,
          deletable: false,
          is_locked_employees: false,
        })),
      )
      .execute();
  }
};

/** The category that the spec gives to a predefined field. */
const categoryOf = (entity: keyof typeof resources, name: string) =>
  resources[entity].fields.find(field => field.name === name)?.sensitive ?? null;

/**
 * Adds the initial data of a tenant (see predefined.ts).
 * See docs/decisions.md, "Tenants and hosts".
 */
export const addBasics = async (
  transaction: OwnerTransaction,
  modules: { readonly has: (module: Module) => boolean },
): Promise<void> => {
  const languageId = await newId(transaction, 'languages');
  await transaction.kysely
    .insertInto('languages')
    .values({ id: languageId, ...language })
    .execute();
  const wageProfileId = await newId(transaction, 'wage_profiles');
  await transaction.kysely
    .insertInto('wage_profiles')
    .values({ id: wageProfileId, ...wageProfile })
    .execute();
  // Predefined attributes have the same ids in every tenant: reserve them, so that others get higher ids.
  await transaction.newIds('attributes', PREDEFINED_IDS);
  await addForms(transaction, languageId, await addCollections(transaction));
  if (modules.has('rules')) await addFirstRule(transaction);
  await transaction.send(renewStatement(transaction.tenantId));
};

/** Adds the working-time rule that a tenant gets with the module, if it has none. */
export const addFirstRule = async (transaction: OwnerTransaction): Promise<void> => {
  const known = await transaction.kysely.selectFrom('work_rules').select('id').limit(1).execute();
  if (known.length > 0) return;
  const id = await newId(transaction, 'work_rules');
  await transaction.kysely
    .insertInto('work_rules')
    .values({ id, ...restRule })
    .execute();
  await transaction.send(renewStatement(transaction.tenantId));
};

/**
 * Creates a tenant with its predefined records in one transaction.
 * These are forms, attributes, collections, a language and a wage profile.
 * @throws InputError if its slug or one of its hosts is not available
 */
export const createTenant = async (database: Database, wanted: NewTenant, baseDomain: string): Promise<Tenant> => {
  const { rows } = await sql<{ id: number | string }>`
    select nextval(pg_get_serial_sequence('tenants', 'id')) as id
  `.execute(database.system);
  const id = Number(rows[0]?.id);
  const { slug, name, timeZone, modules, hosts, rateLimit = null, sandbox = false } = wanted;
  const add = async (transaction: OwnerTransaction) => {
    const added = await transaction.system
      .insertInto('tenants')
      .values({ id, slug, name, time_zone: timeZone, modules: JSON.stringify(modules), rate_limit: rateLimit, sandbox })
      .onConflict(conflict => conflict.column('slug').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!added) throw new InputError(`There is a tenant "${slug}" already`);
    await addHosts(transaction, hosts, baseDomain);
    await addBasics(transaction, new Set(modules));
  };
  await database.asOwner(id, add, administration);
  return { id, slug, name, timeZone, modules: new Set(modules), rateLimit, sandbox, clockAhead: 0 };
};
