import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expectWhole, patience } from './pace.ts';
import { type QuotaHeaders, refuseBroken, refuseMethod } from './refusal.ts';

export interface ListenOptions {
  readonly port: number;
  /** Undefined: every address. */
  readonly host?: string | undefined;
  /** PEM texts; null: plain HTTP only (the internal port). */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Seconds that requests under way are given when the listener closes. */
  readonly grace: number;
  /** What requests that cannot be read are told of their address's quota. */
  readonly quota?: QuotaHeaders;
  /** Others than the usual patience, in milliseconds. */
  readonly times?: Partial<Times> | undefined;
}

export interface Listener {
  readonly port: number;
  /** Closes, from now on, each connection with its next response: clients and proxies open a new one, elsewhere if they know better. */
  retire(): void;
  /** Takes no more connections, lets the requests under way finish for the grace, then cuts what is left. */
  close(): Promise<void>;
}

/** Milliseconds. */
const defaultTimes = {
  /** For a connection to say anything at all, and for a TLS handshake. */
  silence: 10_000,
  headers: 10_000,
  /** For a request to arrive whole; longer for a body of any bytes, while it makes progress. */
  whole: patience,
  /** Longer than the minute after which common load balancers drop an idle connection, so that they do and not we. */
  keepAlive: 65_000,
  check: 1000,
};

type Times = typeof defaultTimes;

const serverOptionsOf = (times: Times) => ({
  headersTimeout: times.headers,
  // Node's own would end the longest uploads: see pace.ts.
  requestTimeout: 0,
  keepAliveTimeout: times.keepAlive,
  connectionsCheckingInterval: times.check,
  // Room for an address that is much too long, so that it is told apart from headers that are too large.
  maxHeaderSize: 65_536,
  // A missing host is answered by a stage, in the API's own form.
  requireHostHeader: false,
  noDelay: true,
});

const tlsHandshake = 0x16;

/** Serves HTTPS and plain HTTP on one port, told apart by a connection's first byte: what to answer is the handler's matter. */
export const listen = async (handler: RequestListener, options: ListenOptions): Promise<Listener> => {
  const { tls, grace, quota } = options;
  const times = { ...defaultTimes, ...options.times };
  const serverOptions = serverOptionsOf(times);
  const sockets = new Set<Socket>();
  /** Connections that no request can have come over yet, by their peers. */
  const silent = new Map<string, Socket>();
  const answers = new Set<ServerResponse>();
  let closing = false;

  const handle: RequestListener = (request, response) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
    expectWhole(request, times.whole, () => refuseLate(request, response, quota));
    if (closing) response.setHeader('Connection', 'close');
    handler(request, response);
  };
  const plain = createHttpServer(serverOptions);
  const secure =
    tls && createHttpsServer({ ...serverOptions, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: times.silence });
  const servers = secure ? [plain, secure] : [plain];
  for (const server of servers) {
    server.on('request', handle).on('checkContinue', continueTo(handle)).on('checkExpectation', handle);
    server
      .on('clientError', (error, socket) => refuseBroken(error, socket, quota))
      .on('connect', ({ headers }, socket) => refuseMethod(socket, quota, headers['accept-encoding']?.toString()));
    // They get their connections from the port below; without this event they would not watch over their timeouts.
    server.emit('listening');
  }

  secure?.on('secureConnection', socket => silent.delete(peerOf(socket)));

  const port = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    const peer = peerOf(socket);
    sockets.add(socket);
    silent.set(peer, socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      if (silent.get(peer) === socket) silent.delete(peer);
    });
    firstByte(socket, times.silence, byte => {
      if (secure && byte === tlsHandshake) return secure.emit('connection', socket);
      silent.delete(peer);
      return plain.emit('connection', socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    port.once('error', reject).listen(options.port, options.host, () => resolve());
  });

  const retire = (): void => {
    closing = true;
    for (const answer of answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
  };
  return {
    port: (port.address() as AddressInfo).port,
    retire,
    close: () => {
      retire();
      return new Promise(resolve => {
        const cut = setTimeout(() => sockets.forEach(socket => void socket.destroy()), grace * 1000);
        port.close(() => {
          clearTimeout(cut);
          resolve();
        });
        for (const server of servers) server.close();
        for (const socket of silent.values()) socket.destroy();
      });
    },
  };
};

/** A request that is late is told so, unless its answer is on its way already. */
const refuseLate = (
  { socket, headers }: IncomingMessage,
  response: ServerResponse,
  quota: QuotaHeaders | undefined,
): void => {
  const late = Object.assign(new Error('The request is late.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  if (response.headersSent) socket.destroy();
  else refuseBroken(late, socket, quota, headers['accept-encoding']?.toString());
};

/** The same for a TLS socket and for the socket under it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const continueTo =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    response.writeContinue();
    handle(request, response);
  };

/** Waits for a connection's first bytes and puts them back; one that stays silent, or ends, is closed. */
const firstByte = (socket: Socket, patience: number, found: (byte: number) => unknown): void => {
  const silence = setTimeout(() => socket.destroy(), patience);
  socket.once('close', () => clearTimeout(silence));
  socket.once('end', () => socket.destroy());
  socket.once('data', (bytes: Buffer) => {
    clearTimeout(silence);
    socket.pause();
    socket.removeAllListeners('end');
    socket.unshift(bytes);
    found(bytes[0] ?? 0);
    // The server has put its own listeners on by now.
    process.nextTick(() => socket.resume());
  });
};
