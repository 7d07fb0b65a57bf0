import Router from '@koa/router';
import Koa from 'koa';
import { createPipeline, type PipelineDependencies } from '../http/pipeline.ts';
import { type Finished, logRequests } from '../http/request/log.ts';
import { type Counter, limitRates } from '../http/request/rate-limit.ts';
import { receive } from '../http/request/receive.ts';
import type { State } from '../http/request/state.ts';
import type { SendOptions } from '../http/response/send.ts';
import { Spools } from '../http/response/spool.ts';

/** The dependencies of the API. */
export interface AppDependencies extends Omit<PipelineDependencies, keyof SendOptions>, Partial<SendOptions> {
  /** Allows `requests` per `period` (seconds), unless the tenant has a limit of its own. */
  readonly rateLimit: { readonly counter: Counter; readonly requests: number; readonly period: number };
  /** Requests of an API user in progress at once; default: 20. */
  readonly concurrency?: number;
  /** Called with each request that has been responded to. */
  readonly observe?: (request: Finished) => void;
}

const defaultSpools = { files: 50, bytes: 4_294_967_296 };
const defaultFormats = { defuseCsv: true };

/** Creates the API as a Koa app: what all requests share, around the processing of each. */
export const createApp = (deps: AppDependencies): Koa<State> => {
  const { log, proxies, spools = new Spools(defaultSpools), formats = defaultFormats, observe } = deps;
  const rates = limitRates({ ...deps.rateLimit, log, ...(deps.concurrency && { concurrency: deps.concurrency }) });
  const { operations, pages } = createPipeline({ ...deps, spools, formats }, rates);
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const [path, page] of Object.entries(pages)) router.all(path, page);
  const app = new Koa<State>().use(receive(proxies)).use(logRequests(log, observe));
  app.use(router.routes()).use(operations);
  // Only connection errors reach this handler: all others have been converted to a Reply.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'A connection failed.'));
  return app;
};
