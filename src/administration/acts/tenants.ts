import { readSecrets, replaceSecret } from '../../automations/secret.ts';
import { ApiError } from '../../core/errors.ts';
import type { Tenant } from '../../core/principal.ts';
import { type Module, modules } from '../../core/resource/modules.ts';
import { createTenant } from '../../domain/provision/provision.ts';
import { type TenantChanges, updateTenant } from '../../domain/provision/update-tenant.ts';
import type { Administrator } from '../../tenancy/administrators.ts';
import { findTenantEntry, listTenants, type TenantEntry } from '../../tenancy/directory.ts';
import { parseName, parseSlug, parseTimeZone, readHostName } from '../../tenancy/names.ts';
import type { HandlersOf } from '../api/handler.ts';
import { ownHost, tenantView } from '../views.ts';
import type { AdministrationParts } from './parts.ts';

/** @throws ApiError forbidden (403) if the administrator is one of a single tenant */
const requireOperator = ({ tenant }: Administrator, what: string): void => {
  if (tenant !== null) throw new ApiError('forbidden', { message: `Only operators ${what}.` });
};

const inOrder = (given: readonly Module[]): readonly Module[] => modules.filter(module => given.includes(module));

/** Returns the host names to add and to remove; the tenant's own is never among them. */
const hostChanges = (known: readonly string[], given: readonly string[], own: string) => {
  const wanted = new Set(given.filter(host => host !== own));
  return {
    addHosts: [...wanted].filter(host => !known.includes(host)),
    removeHosts: known.filter(host => !wanted.has(host)),
  };
};

/** Returns the handlers of operations on tenants. */
export const tenantHandlers = ({
  database,
  baseDomain,
}: AdministrationParts): HandlersOf<'tenants' | 'webhookSecrets'> => {
  const entryOf = async ({ id }: Tenant): Promise<TenantEntry> => {
    const found = await findTenantEntry(database, id);
    if (!found) throw new ApiError('not_found');
    return found;
  };
  const viewOf = async (tenant: Tenant) => tenantView(await entryOf(tenant), baseDomain);
  const change = async (tenant: Tenant, changes: TenantChanges) => {
    await updateTenant(database, tenant, changes, baseDomain);
    return viewOf(tenant);
  };

  return {
    tenants_list: async ({ administrator }) =>
      (await listTenants(database))
        .filter(({ tenant }) => administrator.tenant === null || tenant.slug === administrator.tenant)
        .map(entry => tenantView(entry, baseDomain)),

    tenants_create: async ({ administrator, body }) => {
      requireOperator(administrator, 'create tenants');
      const hosts = [...new Set((body.hosts ?? []).map(readHostName))];
      const wanted = {
        slug: parseSlug(body.slug),
        name: parseName(body.name ?? body.slug),
        hosts,
        modules: inOrder(body.modules ?? modules),
        timeZone: parseTimeZone(body.time_zone ?? 'Europe/Berlin'),
        rateLimit: body.rate_limit ?? null,
      };
      const tenant = await createTenant(database, wanted, baseDomain);
      return tenantView({ tenant, hosts, active: true }, baseDomain);
    },

    tenants_read: ({ tenant }) => viewOf(tenant),

    tenants_update: async ({ administrator, tenant, body }) => {
      const { name, time_zone: timeZone, hosts, modules: given, rate_limit: rateLimit } = body;
      if (hosts !== undefined || given !== undefined || rateLimit !== undefined)
        requireOperator(administrator, 'change host names, modules and rate limits');
      const known = (await entryOf(tenant)).hosts;
      return change(tenant, {
        name: name === undefined ? undefined : parseName(name),
        timeZone: timeZone === undefined ? undefined : parseTimeZone(timeZone),
        modules: given && inOrder(given),
        rateLimit,
        ...(hosts && hostChanges(known, hosts.map(readHostName), ownHost(tenant, baseDomain))),
      });
    },

    tenants_disable: async ({ administrator, tenant }) => {
      requireOperator(administrator, 'disable tenants');
      return change(tenant, { active: false });
    },

    tenants_enable: async ({ administrator, tenant }) => {
      requireOperator(administrator, 'enable tenants');
      return change(tenant, { active: true });
    },

    webhookSecrets_read: async ({ tenant }) => {
      const [newest] = await readSecrets(database, tenant.id);
      return { tenant: tenant.slug, secret: String(newest) };
    },

    webhookSecrets_rotate: async ({ tenant }) => ({
      tenant: tenant.slug,
      secret: await replaceSecret(database, tenant.id),
    }),
  };
};
