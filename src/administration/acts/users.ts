import { ApiError } from '../../core/errors.ts';
import type { Tenant } from '../../core/principal.ts';
import { changeApiUser } from '../../domain/provision/change-api-user.ts';
import { type ApiUser, createApiUser, listApiUsers } from '../../tenancy/api-users.ts';
import { parseDuration, parseUserName } from '../../tenancy/names.ts';
import { readOwn } from '../../tenancy/own-requests.ts';
import { listTokens, revokeToken } from '../../tenancy/token-register.ts';
import { parseScope, scopes } from '../access.ts';
import type { HandlersOf } from '../api/handler.ts';
import { apiUserView, issuedTokenView, tokenView } from '../views.ts';
import type { AdministrationParts } from './parts.ts';

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/** Returns the handlers of operations on API users and their tokens. */
export const userHandlers = ({
  database,
  tokens,
}: AdministrationParts): HandlersOf<'scopes' | 'apiUsers' | 'tokens'> => {
  const find = async (tenant: Tenant, id: number): Promise<ApiUser> => {
    const user = (await listApiUsers(database, tenant)).find(known => known.id === id);
    if (!user) throw new ApiError('not_found');
    return user;
  };
  const change = async (tenant: Tenant, id: number, changes: Parameters<typeof changeApiUser>[3]) => {
    const user = await changeApiUser(database, tenant, id, changes);
    if (!user) throw new ApiError('not_found');
    return apiUserView(user, tenant);
  };

  return {
    scopes_list: async () => scopes,

    apiUsers_list: async ({ tenant }) => (await listApiUsers(database, tenant)).map(user => apiUserView(user, tenant)),

    apiUsers_create: async ({ tenant, body: { name, read_only = false, scopes = [], hidden = [] } }) => {
      const wanted = {
        name: parseUserName(name),
        readOnly: read_only,
        scopes: distinct(scopes.map(parseScope)),
        hidden: distinct(hidden),
      };
      return apiUserView(await createApiUser(database, tenant, wanted), tenant);
    },

    apiUsers_update: async ({ tenant, params, body: { scopes, hidden } }) =>
      change(tenant, params.id, {
        ...(scopes && { scopes: distinct(scopes.map(parseScope)) }),
        ...(hidden && { hidden: distinct(hidden) }),
      }),

    apiUsers_disable: ({ tenant, params }) => change(tenant, params.id, { active: false }),

    apiUsers_enable: ({ tenant, params }) => change(tenant, params.id, { active: true }),

    apiUsers_listRequests: async ({ tenant, params, query: { limit = 100 } }) => {
      const user = await find(tenant, params.id);
      return readOwn(database, tenant.id, user.id, limit);
    },

    apiUsers_issueToken: async ({ tenant, params, body }) => {
      const seconds = parseDuration(body.expires_in ?? '1y');
      const user = await find(tenant, params.id);
      return issuedTokenView(await tokens.issueToken(tenant, user.id, seconds), user, tenant);
    },

    tokens_list: async ({ tenant }) => (await listTokens(database, tenant)).map(tokenView),

    tokens_revoke: async ({ tenant, params }) => {
      const revoked = await revokeToken(database, params.jti, tenant);
      if (!revoked) throw new ApiError('not_found');
      return { jti: params.jti, tenant: tenant.slug, revoked_at: revoked.revokedAt.toISOString() };
    },
  };
};
