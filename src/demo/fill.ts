import { Temporal } from 'temporal-polyfill';
import type { Tenant } from '../core/principal.ts';
import { modules } from '../core/resource/modules.ts';
import { numberEntriesWithin } from '../db/journal/number.ts';
import type { Database } from '../db/open.ts';
import type { OwnerTransaction } from '../db/owner.ts';
import { finishConflicts } from '../domain/conflicts/rebuild.ts';
import { createTenant } from '../domain/provision/provision.ts';
import { type ApiUser, createApiUser, listApiUsers } from '../tenancy/api-users.ts';
import { findTenantBySlug } from '../tenancy/directory.ts';
import { InputError } from '../tenancy/names.ts';
import { addDeliveries } from './deliveries.ts';
import { addDynamicFields } from './dynamic.ts';
import { generateDemo } from './generate.ts';
import type { Size } from './scene.ts';
import { addImports } from './story/imports.ts';
import { addStory, storyIds } from './story/story.ts';
import { type DemoTables, type TakenIds, writeTables } from './write.ts';

/** The slug of the demo tenant and the name of its API user. */
export const demoName = 'demo';
/** The host names that need no entry in a name server. */
const loopback = ['localhost', '127.0.0.1'];

/** The demo tenant, its API user and the written rows. */
export interface Demo {
  readonly tenant: Tenant;
  readonly apiUser: ApiUser;
  /** Number of written rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface DemoOptions {
  readonly size: Size;
  readonly baseDomain: string;
  /** The slug of the tenant; default: the demo tenant's, which also gets loopback hosts. */
  readonly slug?: string;
  /** Whether a new tenant is a sandbox. */
  readonly sandbox?: boolean;
  /** The date (YYYY-MM-DD) around which events take place; default: today in the tenant's time zone. */
  readonly today?: string;
  /** Aborts the filling: then no data is kept. */
  readonly signal?: AbortSignal;
}

/**
 * Finds or creates the tenant.
 * A new demo tenant also gets loopback hosts, unless another tenant has them.
 */
const findOrCreateTenant = async (
  database: Database,
  slug: string,
  { baseDomain, sandbox = false }: DemoOptions,
): Promise<Tenant> => {
  const existing = await findTenantBySlug(database, slug);
  if (existing) return existing;
  const taken = await database.system.selectFrom('tenant_hosts').select('host').where('host', 'in', loopback).execute();
  const wanted = {
    slug,
    name: 'Demo Staffing',
    timeZone: 'Europe/Berlin',
    modules,
    hosts: slug === demoName ? loopback.filter(name => !taken.some(({ host }) => host === name)) : [],
    sandbox,
  };
  return createTenant(database, wanted, baseDomain);
};

/** Reads the ids of provisioned records that the demo data refer to. */
const readGiven = async ({ kysely }: OwnerTransaction): Promise<TakenIds> => {
  const language = await kysely.selectFrom('languages').select('id').orderBy('id').limit(1).execute();
  const profile = await kysely.selectFrom('wage_profiles').select('id').orderBy('id').limit(1).execute();
  const values = await kysely
    .selectFrom('collection_values')
    .innerJoin('collections', 'collections.id', 'collection_values.collection_id')
    .select(['collection_values.id', 'collections.identifier'])
    .orderBy('collection_values.id')
    .execute();
  const idsOf = (collection: string) =>
    values.filter(({ identifier }) => identifier === collection).map(({ id }) => Number(id));
  return new Map([
    ['languages', language.map(({ id }) => Number(id))],
    ['wage_profiles', profile.map(({ id }) => Number(id))],
    ['country', idsOf('country')],
    ['gender', idsOf('gender')],
  ]);
};

/** An API user that plans events, and sees neither pay nor why people are absent. */
const limited = {
  name: 'planning',
  readOnly: false,
  scopes: ['*:read', 'events:write', 'event-functions:write', 'assignments:write'],
  hidden: ['pay', 'health', 'identity'] as const,
};

/**
 * Fills the demo tenant with sample data; creates the tenant and its API user if they do not exist.
 * @throws InputError if the tenant already has data
 */
export const fillDemo = async (database: Database, options: DemoOptions): Promise<Demo> => {
  const { size, slug = demoName, today, signal } = options;
  const tenant = await findOrCreateTenant(database, slug, options);
  const day = today ?? Temporal.Now.plainDateISO(tenant.timeZone).toString();
  const [existing] = await listApiUsers(database, tenant);
  const apiUser = existing ?? (await createApiUser(database, tenant, { name: demoName, readOnly: false }));
  if (!existing) await createApiUser(database, tenant, limited);
  const rows = await database.asOwner(tenant.id, async transaction => {
    if (await hasData(transaction)) throw new InputError(`Tenant ${slug} already has data`);
    return writeDemo(transaction, generateDemo(size, day, tenant.timeZone), apiUser.id, signal);
  });
  await numberDemo(database, tenant);
  // Of more records, the worker in the background finds them.
  if (size === 'small') await finishConflicts(database.forTenant(tenant));
  return { tenant, apiUser, rows };
};

/**
 * Ids that stay free after those of a table whose number of rows depends on the day.
 * A server that has claimed ids keeps them over a reset, which may be on a day with more rows.
 */
const spareIds = { assignment_wages: 1_000 } as const;

/**
 * Writes generated data and the records of the document's examples to a tenant that has no data.
 * @param apiUserId who the files and the imports are of
 * @returns the number of written rows by table
 */
export const writeDemo = async (
  transaction: OwnerTransaction,
  tables: DemoTables,
  apiUserId: number,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> => {
  const given = new Map([...(await readGiven(transaction)), ['api_users', [apiUserId]]] as const);
  const written = await writeTables(transaction, tables, given, storyIds, signal);
  for (const [table, count] of Object.entries(spareIds)) await transaction.newIds(table, count);
  await transaction.system
    .updateTable('tenants')
    .set({ followed: true })
    .where('id', '=', transaction.tenantId)
    .execute();
  const told = await addStory(transaction);
  const delivered = { automation_deliveries: await addDeliveries(transaction) };
  const counts = [
    written,
    told,
    delivered,
    await addDynamicFields(transaction),
    await addImports(transaction, apiUserId),
  ];
  const rows: Record<string, number> = {};
  for (const [table, count] of counts.flatMap(Object.entries<number>)) rows[table] = (rows[table] ?? 0) + count;
  return rows;
};

/**
 * Numbers thousands of entries of the journal.
 * The first reader of the journal would otherwise wait for them, and all others with it.
 */
export const numberDemo = (database: Database, { id }: Tenant): Promise<unknown> =>
  database.asOwner(id, transaction => numberEntriesWithin(id, transaction));

const hasData = async ({ kysely }: OwnerTransaction): Promise<boolean> =>
  (await kysely.selectFrom('clients').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Whether the database has no tenants, or only a demo tenant without data. */
export const awaitsDemo = async (database: Database): Promise<boolean> => {
  const tenants = await database.system.selectFrom('tenants').select(['id', 'slug']).limit(2).execute();
  const [first] = tenants;
  if (!first) return true;
  if (tenants.length > 1 || first.slug !== demoName) return false;
  return !(await database.asOwner(first.id, hasData));
};
