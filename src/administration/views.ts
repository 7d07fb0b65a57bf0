import type { Tenant } from '../core/principal.ts';
import type { AdministratorEntry } from '../tenancy/administrators.ts';
import type { ApiUser } from '../tenancy/api-users.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { TokenEntry } from '../tenancy/token-register.ts';
import type { IssuedToken } from '../tenancy/tokens.ts';

/** What the command line prints with `--json` and the administration API returns: the same for both. */

const timeOf = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Returns a tenant as it is shown. */
export const tenantView = ({ tenant, hosts, active }: TenantEntry, baseDomain: string) => ({
  id: tenant.id,
  slug: tenant.slug,
  name: tenant.name,
  hosts: [ownHost(tenant, baseDomain), ...hosts],
  time_zone: tenant.timeZone,
  modules: [...tenant.modules],
  rate_limit: tenant.rateLimit,
  sandbox: tenant.sandbox,
  active,
});

/** Returns the host name that a tenant has by its slug. */
export const ownHost = ({ slug }: Tenant, baseDomain: string): string => `${slug}.${baseDomain}`;

/** Returns an API user as it is shown. */
export const apiUserView = (user: ApiUser, tenant: Tenant) => ({
  id: user.id,
  tenant: tenant.slug,
  name: user.name,
  read_only: user.readOnly,
  scopes: [...user.scopes],
  hidden: [...user.hidden],
  active: user.active,
  created_at: user.createdAt.toISOString(),
});

/** Returns a token that was just issued, as it is shown only once. */
export const issuedTokenView = ({ token, tokenId, expiresAt }: IssuedToken, { name }: ApiUser, tenant: Tenant) => ({
  token,
  jti: tokenId,
  tenant: tenant.slug,
  api_user: name,
  expires_at: expiresAt.toISOString(),
});

/** Returns what is known of a token, as it is shown. */
export const tokenView = (entry: TokenEntry) => ({
  jti: entry.tokenId,
  tenant: entry.tenant.slug,
  api_user: entry.apiUser.name,
  issued_at: entry.issuedAt.toISOString(),
  expires_at: entry.expiresAt.toISOString(),
  revoked_at: timeOf(entry.revokedAt),
  last_used_at: timeOf(entry.lastUsedAt),
});

/** Returns an administration token as it is shown. */
export const administratorView = (entry: AdministratorEntry) => ({
  id: entry.id,
  name: entry.name,
  role: entry.tenant === null ? ('operator' as const) : ('tenant' as const),
  tenant: entry.tenant,
  created_at: entry.createdAt.toISOString(),
  expires_at: entry.expiresAt.toISOString(),
  revoked_at: timeOf(entry.revokedAt),
  last_used_at: timeOf(entry.lastUsedAt),
});
