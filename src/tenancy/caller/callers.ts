import { ApiError } from '../../core/errors.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Confirmation } from '../../db/database.ts';
import type { Database } from '../../db/open.ts';
import { slugOf } from '../names.ts';
import { tokenError } from '../token-error.ts';
import type { Tokens } from '../tokens.ts';
import { LookUps, type Remembered } from './cache.ts';
import { type CallerNames, type FoundCaller, lookUp } from './look-up.ts';
import { Presumption } from './presumption.ts';

/** The credentials of a request. */
export interface Credentials {
  /** The host name in lower case, without a port. */
  readonly host: string;
  /** Null: the request has none. */
  readonly token: string | null;
}

/** Who calls: the tenant of a host, and the API user of a token. */
export interface Identity {
  readonly tenant: Tenant;
  /**
   * Returns the token's principal.
   * @throws ApiError missing_token, invalid_token, token_expired, token_revoked (401)
   */
  authenticate(): Principal;
  /** Looks the caller up anew unless it was within a second. @throws ApiError as `serve` */
  again(): Promise<Identity>;
  /** What the first read brings to confirm who calls; undefined: it is certain. */
  readonly confirmation: Confirmation | undefined;
}

/** The one door to tenants and API users: every request passes it. */
export interface Callers {
  /**
   * Runs `work` with the caller of a request and returns its result.
   * @param reads a request that only reads: a remembered caller is presumed, and `work` runs once more if the caller has changed
   * @param undo called before that, or if nothing confirms the caller: discards what `work` learned about the caller
   * @throws ApiError tenant_not_found, tenant_disabled; DatabaseError; errors of `work`
   */
  serve<T extends object>(
    credentials: Credentials,
    reads: boolean,
    work: (identity: Identity) => Promise<T>,
    undo: () => void,
  ): Promise<T>;
}

/** What looking callers up needs. */
export interface CallerOptions {
  readonly database: Pick<Database, 'ask'>;
  readonly baseDomain: string;
  readonly readToken: Tokens['read'];
  /** Milliseconds; default: the system clock. */
  readonly clock?: () => number;
  /** What presumes the caller of a request that only reads; null: nothing does. */
  readonly Presuming?: typeof Presumption | null;
}

/**
 * Creates the look-up of callers.
 * Results are cached for less than a second, also that there is no tenant; a new request of a sandbox looks it up itself, because its clock
 * may have been moved. Concurrent requests of one caller share one query.
 */
export const createCallers = (options: CallerOptions): Callers => {
  const { database, baseDomain, readToken, clock, Presuming = Presumption } = options;
  const known = new LookUps(clock && { now: clock });

  /** Returns the names of a token, whatever its tenant; null: it is not valid. */
  const namesOf = (token: string | null): CallerNames['token'] => {
    try {
      return token === null ? null : readToken(token, null);
    } catch {
      // `authenticate` returns the error.
      return null;
    }
  };

  const identify = async (
    credentials: Credentials,
    presumption: Presumption | null,
    isNew: boolean,
  ): Promise<Identity> => {
    const { host } = credentials;
    const token = namesOf(credentials.token);
    const names: CallerNames = { host, slug: slugOf(host, baseDomain), token };
    const key = token ? `${host} ${token.apiUserId} ${token.tokenId}` : host;
    let isOwn = false;
    const read = (last: FoundCaller | null) => {
      isOwn = true;
      return lookUp(database, names, last?.tenant.id);
    };
    const take = (last: Remembered): boolean => {
      const { active, tenant, apiUser, revoked } = last.found;
      if (!active || tenant.sandbox || revoked || (token && !apiUser)) return false;
      presumption?.presume(last, names);
      return true;
    };
    const recent = await known.find(key, read, presumption && take);
    const isOld = isNew && !isOwn && recent?.tenant.sandbox;
    const found = isOld ? await known.renew(key, () => read(recent)) : recent;
    if (!found) throw new ApiError('tenant_not_found');
    if (!found.active) throw new ApiError('tenant_disabled');
    const { tenant, apiUser, revoked } = found;
    return {
      tenant,
      authenticate() {
        if (credentials.token === null) throw new ApiError('missing_token');
        const { apiUserId: id, tokenId } = readToken(credentials.token, tenant.slug);
        if (!apiUser) throw tokenError('invalid_token');
        if (revoked) throw tokenError('token_revoked');
        return { tenant, apiUser: { id, ...apiUser }, tokenId };
      },
      again: () => identify(credentials, null, false),
      confirmation: presumption ?? undefined,
    };
  };

  return {
    async serve(credentials, reads, work, undo) {
      const attempt = async (presumption: Presumption | null) => work(await identify(credentials, presumption, true));
      const presumption = reads && Presuming ? new Presuming() : null;
      const result = await presumption?.settle(attempt, undo);
      return result ?? attempt(null);
    },
  };
};
