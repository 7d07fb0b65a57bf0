import type { Access } from './resource/access.ts';
import type { Module } from './resource/resource.ts';

/** The properties of a tenant (a staffing agency) that requests need. */
export interface Tenant {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** IANA name; applies to dates and to date-times without an offset. */
  readonly timeZone: string;
  readonly modules: ReadonlySet<Module>;
  /** Requests per period for each API user; null: the configured default. */
  readonly rateLimit: number | null;
  /** Whether it is for testing an integration: its webhooks go to an inbox, and its clock can be moved. */
  readonly sandbox: boolean;
  /** Milliseconds by which the tenant's clock is ahead of the real one; 0 except in sandboxes. */
  readonly clockAhead: number;
}

/** The authenticated caller, from the request's host name and its verified token. */
export interface Principal {
  readonly tenant: Tenant;
  readonly apiUser: Access & { readonly id: number; readonly name: string; readonly readOnly: boolean };
  /** The token's `jti`. */
  readonly tokenId: string;
}

/** Who calls: found when the request arrives, and again by what lasts. */
export interface Caller {
  /**
   * Returns the principal as it is for a new request.
   * What was looked up within the last second is recent.
   * @throws ApiError the error of a new request: 401, 403, 404, 405
   */
  confirm(): Promise<Principal>;
}

/** Returns a text of what a principal sees and may do: the same for the same view of the same API user. */
export const viewOf = ({ tenant: { id, modules }, apiUser }: Principal): string => {
  const { id: apiUserId, readOnly, scopes, hidden } = apiUser;
  return JSON.stringify([id, apiUserId, readOnly, scopes.toSorted(), hidden.toSorted(), [...modules].sort()]);
};
