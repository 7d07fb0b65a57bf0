import type Koa from 'koa';
import type { Reply } from '../../core/call/reply.ts';
import type { Host } from '../../core/host.ts';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Match } from '../operation/match.ts';
import type { Quota } from './quota.ts';
import type { Wire } from './wire.ts';

/** What the head of a request tells; set first. */
export interface State {
  requestId: string;
  /** The client's address. */
  address: string;
  wire: Wire;
  /** Aborted when the client has gone before it had its response. */
  gone: AbortSignal;
  noted: Noted;
}

/**
 * What is known of a request so far, for its log line and for the headers that errors have too. Written on the way and read at its
 * end only, wherever that is: no stage learns from it what another has found.
 */
export interface Noted {
  tenant: Tenant | null;
  principal: Principal | null;
  match: Match | null;
  quota: Quota | null;
  /** The status of the reply, which an envelope hides. */
  status: number | null;
}

export type Stage = Koa.Middleware<State>;
export type Exchange = Koa.ParameterizedContext<State>;

/** A request that has reached its tenant. */
export interface Visit {
  readonly exchange: Exchange;
  readonly wire: Wire;
  readonly host: Host;
  readonly tenant: Tenant;
}

/** Serves a request from there on. */
export type Serve = (visit: Visit) => Promise<Reply>;
