import type { Principal, Tenant } from '../../core/principal.ts';

/** Whoever asks without a token, at an operation that asks for none. */
export const anonymous = (tenant: Tenant): Principal => ({
  tenant,
  apiUser: { id: 0, name: 'anonymous', readOnly: true },
  tokenId: '',
});
