import { ApiError } from '../../core/errors.ts';
import type { Tenant } from '../../core/principal.ts';
import { readHost } from './host.ts';
import type { Stage } from './state.ts';

/** The tenant of a host name in lower case without port; null: there is none. */
export type FindTenant = (host: string) => Promise<Tenant | null>;

/** Finds the tenant by the request's host. */
export const tenant =
  (findTenant: FindTenant): Stage =>
  async (ctx, next) => {
    const host = readHost(ctx.req.rawHeaders, ctx.req.url ?? '/');
    const found = await findTenant(host.name);
    if (!found) throw new ApiError('tenant_not_found');
    ctx.state.host = host;
    ctx.state.tenant = found;
    await next();
  };
