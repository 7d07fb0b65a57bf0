import type Koa from 'koa';
import type { Principal, Tenant } from '../../core/principal.ts';
import type { Reply } from '../../core/reply.ts';
import type { Host } from './host.ts';
import type { Quota } from './quota.ts';
import type { Wire } from './wire.ts';

/** What the stages of a request have made so far; each is set by one stage only. */
export interface State {
  requestId: string;
  /** The client's address. */
  address: string;
  wire: Wire;
  /** Aborted when the client has gone before it had its answer. */
  gone: AbortSignal;
  host?: Host;
  tenant?: Tenant;
  principal?: Principal;
  quota?: Quota;
  /** The operationId, once the path and method are known. */
  operation?: string;
  reply?: Reply;
}

export type Stage = Koa.Middleware<State>;
export type Exchange = Koa.ParameterizedContext<State>;
