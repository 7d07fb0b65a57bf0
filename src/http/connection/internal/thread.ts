import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { type Listener, listen } from '../listen.ts';
import { settleMemory } from '../memory.ts';
import { clock, type FromThread, type ThreadOptions, type ToThread } from './messages.ts';
import type { InternalResponse } from './route.ts';

/**
 * The thread of the internal port.
 * It responds to /livez itself, so that a busy main thread, or one whose memory is being collected, does not make the process look
 * dead; all else it hands to the main thread.
 */
if (!parentPort) throw new Error('This module is a worker thread.');
const main = parentPort;
const { port, host, tls, heartbeat } = workerData as ThreadOptions;
const lastSeen = new BigInt64Array(heartbeat);

/** Milliseconds after which a main thread that does nothing is reported as stuck. */
const TIMEOUT = 30_000n;
/** Maximum bytes of a request's body. */
const BODY_LIMIT = 65_536;

const waiting = new Map<number, ServerResponse>();
let last = 0;

const livez = (): InternalResponse =>
  clock() - Atomics.load(lastSeen, 0) > TIMEOUT
    ? { status: 503, body: { status: 'stuck' } }
    : { status: 200, body: { status: 'alive' } };

const send = (
  response: ServerResponse,
  { status, type = 'application/json', headers, body }: InternalResponse,
): void => {
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': `${type}; charset=utf-8` }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
};

const post = (message: FromThread): void => main.postMessage(message);

const bodyOf = async (request: IncomingMessage): Promise<Uint8Array | null> => {
  const chunks: Buffer[] = [];
  let size = 0;
  // A request that is not read to its end stays open: the response takes the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > BODY_LIMIT) return null;
    chunks.push(chunk);
  }
  // Copied: of a view, the whole memory that it shows a part of would be sent to the main thread.
  return new Uint8Array(Buffer.concat(chunks));
};

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const target = request.url ?? '';
  const [path = ''] = target.split('?');
  if (method === 'GET' && path === '/livez') return send(response, livez());
  const body = await bodyOf(request);
  // The rest of it is not read.
  if (body === null) response.setHeader('Connection', 'close');
  const id = ++last;
  waiting.set(id, response);
  response.once('close', () => waiting.delete(id));
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]));
  const { socket, rawHeaders } = request;
  const address = socket.remoteAddress ?? '';
  post({
    id,
    request: { method, path, target, headers, rawHeaders, body, address, secure: socket instanceof TLSSocket },
  });
};

const start = async (): Promise<Listener> => {
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => response.destroy());
  return listen(respond, { port, host, tls, grace: 1 });
};

try {
  const listener = await start();
  main.on('message', (message: ToThread) => {
    if (message === null) {
      void listener.close().finally(() => main.close());
      return;
    }
    if ('certificate' in message) {
      listener.certify(message.certificate);
      return;
    }
    const response = waiting.get(message.id);
    if (response) send(response, message.response);
  });
  await settleMemory();
  post({ listening: listener.port });
} catch (error) {
  const { message, code, port } = error as Error & { code?: string; port?: number };
  post({ failed: { message, ...(code !== undefined && { code }), ...(port !== undefined && { port }) } });
}
