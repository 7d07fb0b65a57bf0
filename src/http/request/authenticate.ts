import { ApiError } from '../../core/errors.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Stage } from './state.ts';

/** Who asks, by a token for that tenant. @throws ApiError 401 */
export type VerifyToken = (tenant: Tenant, token: string) => Promise<Principal>;

/** Throws what negotiation found wrong with the method override, the callback or the query string. */
export const objections: Stage = async (ctx, next) => {
  if (ctx.state.wire.problem) throw ctx.state.wire.problem;
  await next();
};

/** Finds out who asks; a request that fails counts against its address, as does one that needs no token (`isOpen`). */
export const authenticate =
  (
    verifyToken: VerifyToken,
    { countAddress }: Pick<RateLimit, 'countAddress'>,
    isOpen: (method: string, path: string) => boolean,
  ): Stage =>
  async (ctx, next) => {
    const { tenant, wire } = ctx.state;
    if (!tenant) throw new Error('Authentication comes after the tenant.');
    if (isOpen(wire.method, wire.path)) {
      await countAddress(ctx);
      return next();
    }
    try {
      if (wire.token === null) throw new ApiError('missing_token');
      ctx.state.principal = await verifyToken(tenant, wire.token);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) await countAddress(ctx);
      throw error;
    }
    await next();
  };
