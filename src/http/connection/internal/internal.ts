import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { clock, type FromThread, type ThreadOptions, type ToThread } from './messages.ts';
import type { InternalRequest, InternalResponse, InternalRoute, InternalRoutes } from './route.ts';

/** The open internal port. */
export interface InternalPort {
  readonly port: number;
  /** Uses another certificate for new connections, if it serves HTTPS. */
  certify(certificate: { readonly cert: string; readonly key: string }): void;
  /** Closes the port. */
  close(): Promise<void>;
}

/** Milliseconds between two signs of life of the main thread. */
const INTERVAL = 500;

/**
 * Opens the internal port in a thread of its own, which responds to `GET /livez` at any time.
 * It hands all other requests to the routes, and what none of them serves to `others`.
 * @param options with `tls`, HTTPS is served on the same port as plain HTTP
 * @throws Error with the `code` and `port` of the system's error if it cannot listen
 */
export const openInternalPort = async (
  { port, host, tls = null }: Pick<ThreadOptions, 'port' | 'host'> & Partial<Pick<ThreadOptions, 'tls'>>,
  routes: InternalRoutes,
  others: InternalRoute = unknownPath,
): Promise<InternalPort> => {
  const heartbeat = new SharedArrayBuffer(8);
  const beat = () => void Atomics.store(new BigInt64Array(heartbeat), 0, clock());
  beat();
  const workerData: ThreadOptions = { port, host, tls, heartbeat };
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData, execArgv: [] });
  const ended = once(worker, 'exit');
  const send = (message: ToThread) => worker.postMessage(message);
  const [first] = (await once(worker, 'message')) as [FromThread];
  if ('failed' in first) {
    await worker.terminate();
    throw Object.assign(new Error(first.failed.message), first.failed);
  }
  worker.on('message', async (message: FromThread) => {
    if ('request' in message) send({ id: message.id, response: await respond(message.request, routes, others) });
  });
  const timer = setInterval(beat, INTERVAL).unref();
  return {
    port: 'listening' in first ? first.listening : port,
    certify: ({ cert, key }) => tls && send({ certificate: { cert, key } }),
    async close() {
      clearInterval(timer);
      send(null);
      await ended;
    },
  };
};

const unknownPath: InternalRoute = async () => ({ status: 404, body: { status: 'not_found' } });

const respond = async (
  request: InternalRequest,
  routes: InternalRoutes,
  others: InternalRoute,
): Promise<InternalResponse> => {
  const own = routes[`${request.method} ${request.path}`];
  if (own && request.body === null) return { status: 413, body: { status: 'too_large' } };
  const route = own ?? others;
  return route(request).catch(() => ({ status: 500, body: { status: 'failed' } }));
};
