import type Koa from 'koa';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { Reply } from '../../core/call/reply.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Identity } from '../../tenancy/caller/callers.ts';
import type { Host } from '../../tenancy/names.ts';
import type { Match } from '../operation/match.ts';
import type { Wire } from './wire.ts';

/** The place of a request in a distributed trace. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** The caller's part of the trace: 16 hexadecimal digits. */
  readonly parent_id: string;
}

/** The remaining requests of a key in its current period. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds left in the period. */
  readonly reset: number;
  readonly exceeded: boolean;
}

/** The requests of a key in its current period, and the milliseconds until it ends. */
export type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/** The state of a request, set by the first stage. */
export interface State {
  requestId: string;
  /** The distributed trace that the request belongs to; null: none. */
  trace: Trace | null;
  /** The client's IP address. */
  address: string;
  wire: Wire;
  /** Aborted when the client disconnects before its response is complete. */
  signal: AbortSignal;
  /** Takes the request out of the count of its API user's requests in progress. */
  leave?: () => void;
  /** What the request has been counted for: not twice, if it begins anew. */
  counted?: { readonly key: string; readonly count: Count | null };
  metadata: RequestMetadata;
}

/**
 * What is known about a request so far, for its log line and for the headers of all responses.
 * Stages only write to it; it is read when the response is sent, never to pass data between stages.
 */
export interface RequestMetadata {
  tenant: Tenant | null;
  principal: Principal | null;
  match: Match | null;
  /** The path of the page that an API user reads, relative to the root of the API; null: it is no page. */
  page: string | null;
  quota: Quota | null;
  /** The status of the reply, which differs from the response's if there is an envelope. */
  status: number | null;
  /** The error code of the reply; null: it is no error. */
  code: string | null;
}

/** Discards what a request has learned about a caller who is not the presumed one. */
export const forgetCaller = ({ leave, metadata }: State): void => {
  leave?.();
  Object.assign(metadata, {
    tenant: null,
    principal: null,
    match: null,
    page: null,
    quota: null,
  } satisfies Partial<RequestMetadata>);
};

export type Stage = Koa.Middleware<State>;
export type Exchange = Koa.ParameterizedContext<State>;

/** A request whose tenant is known. */
export interface TenantRequest {
  readonly exchange: Exchange;
  readonly wire: Wire;
  readonly host: Host;
  readonly tenant: Tenant;
  readonly identity: Identity;
}

/** Serves a request of a tenant. */
export type Serve = (request: TenantRequest) => Promise<Reply>;
