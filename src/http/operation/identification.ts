import { ApiError } from '../../core/errors.ts';
import type { Caller, Principal } from '../../core/principal.ts';
import { unrestricted } from '../../core/resource/access.ts';
import type { Identity } from '../../tenancy/caller/callers.ts';
import type { RateLimit } from '../request/rate-limit.ts';
import { forgetCaller, type State, type TenantRequest } from '../request/state.ts';

/** Returns whose token a request has; failures are counted per IP address. @throws ApiError 401, 429 */
export const identify = async (state: State, identity: Identity, rates: RateLimit): Promise<Principal> => {
  try {
    const principal = identity.authenticate();
    state.metadata.principal = principal;
    return principal;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) await rates.countAddress(state);
    throw error;
  }
};

/** Returns the principal of a request without a token. @throws ApiError 429 */
export const anonymous = async (
  { exchange: { state }, tenant }: TenantRequest,
  rates: RateLimit,
): Promise<Principal> => {
  await rates.countAddress(state);
  return { tenant, apiUser: { id: 0, name: 'anonymous', readOnly: true, ...unrestricted }, tokenId: '' };
};

/**
 * Returns the caller of a request that lasts, who is looked up again to be confirmed.
 * @param permit checks that the principal may still make the request
 */
export const callerOf = (
  { exchange: { state }, identity }: TenantRequest,
  rates: RateLimit,
  permit: (principal: Principal) => void,
): Caller => {
  const findAgain = async (): Promise<Principal> => {
    const again = await identity.again();
    state.metadata.tenant = again.tenant;
    return identify(state, again, rates);
  };
  return {
    async confirm() {
      const principal = await findAgain().catch((error: unknown) => {
        forgetCaller(state);
        throw error;
      });
      permit(principal);
      return principal;
    },
  };
};
