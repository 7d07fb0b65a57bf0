import Koa from 'koa';
import type { Logger } from 'pino';
import { createTenantFields } from '../attributes/tenant-fields.ts';
import { documents } from '../http/documents/documents.ts';
import { explorer } from '../http/documents/explorer.ts';
import { createTenantDocuments } from '../http/documents/tenant-documents.ts';
import { dispatch, type Operations } from '../http/operation/dispatch.ts';
import { openOperations } from '../http/operation/open-operations.ts';
import { authenticate, objections, type VerifyToken } from '../http/request/authenticate.ts';
import { https } from '../http/request/https.ts';
import { logRequests } from '../http/request/log.ts';
import type { Proxies } from '../http/request/proxy.ts';
import type { Counter } from '../http/request/quota.ts';
import { limitRates } from '../http/request/rate-limit.ts';
import { receive } from '../http/request/receive.ts';
import type { State } from '../http/request/state.ts';
import { type FindTenant, tenant } from '../http/request/tenant.ts';
import { limitUri } from '../http/request/uri-length.ts';
import { cors, preflight } from '../http/response/cors.ts';
import { failures } from '../http/response/failures.ts';
import { type SendOptions, send } from '../http/response/send.ts';

/** The dependencies of the API. */
export interface Dependencies extends Operations, SendOptions {
  readonly log: Logger;
  readonly proxies: Proxies;
  readonly findTenant: FindTenant;
  readonly verifyToken: VerifyToken;
  /** Allows `requests` per `period` (seconds), unless the tenant has a limit of its own. */
  readonly rateLimit: { readonly counter: Counter; readonly requests: number; readonly period: number };
  readonly limits: Operations['limits'] & {
    /** Maximum length of a request target in bytes. */
    readonly url: number;
  };
}

/** Creates the API: its middleware, in the order in which it processes a request. */
export const createApp = (deps: Dependencies): Koa<State> => {
  const { log, proxies } = deps;
  const fields = createTenantFields();
  const documentOf = createTenantDocuments(deps, fields);
  const rates = limitRates({ ...deps.rateLimit, log });
  const known = authenticate(deps.verifyToken, rates, openOperations(deps.document));
  const app = new Koa<State>()
    .use(receive(proxies)) // head → Wire
    .use(logRequests(log))
    .use(send(log, deps)) // Reply + Wire → bytes
    .use(cors)
    .use(rates.headers)
    .use(failures(log)) // thrown → Reply
    .use(https(proxies))
    .use(limitUri(deps.limits.url))
    .use(tenant(deps.findTenant))
    .use(preflight)
    .use(objections)
    .use(documents(deps.document, rates, { authenticate: known, limitUser: rates.user, documentOf }))
    .use(explorer(rates))
    .use(known)
    .use(rates.user)
    .use(dispatch(deps, fields)); // Call → Reply
  // Only connection errors reach this handler: all others have been converted to a Reply.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'A connection failed.'));
  return app;
};
