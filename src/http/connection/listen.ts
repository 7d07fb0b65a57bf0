import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SecureContext, TlsOptions } from 'node:tls';
import { defaultPace, expectCompletion } from './pace.ts';
import { closeGently, type QuotaHeaders, rejectMalformed, rejectMethod } from './rejection.ts';

/** PEM strings. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate of the HTTPS listener. */
export interface Certificate extends CertificatePair {
  /** Returns what to present for a host name that a client asks for; null: the certificate. */
  readonly contextFor?: (serverName: string) => Promise<SecureContext | null>;
}

export interface ListenOptions {
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host?: string | undefined;
  /** Null: plain HTTP only (the internal port). */
  readonly tls: Certificate | null;
  /** Seconds that in-flight requests may take to complete when the listener closes. */
  readonly grace: number;
  /** The rate-limit headers of responses to requests that cannot be parsed. */
  readonly quota?: QuotaHeaders;
  /** Timeouts that replace the defaults, in milliseconds. */
  readonly times?: Partial<ListenerTimes> | undefined;
}

export interface Listener {
  readonly port: number;
  /** Uses another certificate for new connections. */
  certify(certificate: CertificatePair): void;
  /** Sends `Connection: close` with every response from now on, and still accepts connections. */
  retire(): void;
  /** Accepts no more connections, waits for requests up to `grace`, then closes all connections. */
  close(): Promise<void>;
}

/** Milliseconds. */
const defaultTimes = {
  /** For the first byte of a connection, and for a TLS handshake. */
  silence: 10_000,
  headers: 10_000,
  ...defaultPace,
  /** Longer than the idle timeout of common load balancers (a minute), so that they close first. */
  keepAlive: 65_000,
  /** For a client to take some of a response that has begun; over TLS, of what is written at once all. */
  reading: 600_000,
  check: 1000,
};

type ListenerTimes = typeof defaultTimes;

const serverOptionsOf = (times: ListenerTimes) => ({
  headersTimeout: times.headers,
  // Node's own timeout would abort long uploads: see pace.ts.
  requestTimeout: 0,
  keepAliveTimeout: times.keepAlive,
  connectionsCheckingInterval: times.check,
  // Large enough to distinguish a URL that is too long from headers that are too large.
  maxHeaderSize: 65_536,
  // A missing Host header is rejected by the pipeline, in the API's error format.
  requireHostHeader: false,
  noDelay: true,
});

const tlsHandshake = 0x16;

const serverNames = ({ contextFor }: Certificate): Pick<TlsOptions, 'SNICallback'> =>
  contextFor
    ? {
        SNICallback: (name, done) =>
          void contextFor(name).then(
            context => done(null, context ?? undefined),
            error => done(error),
          ),
      }
    : {};

const secureOptionsOf = (tls: Certificate, { silence }: ListenerTimes) =>
  ({ ...tls, ...serverNames(tls), minVersion: 'TLSv1.2', handshakeTimeout: silence }) as const;

/** Has a server respond to the connections that it is given, and reject what is no request. */
const respond = (
  server: Server,
  handle: RequestListener,
  isClosing: () => boolean,
  quota: QuotaHeaders | undefined,
): void => {
  server
    .on('request', handle)
    .on('checkContinue', continueTo(handle, isClosing))
    .on('checkExpectation', handle)
    .on('clientError', (error, socket) => rejectMalformed(error, socket, quota))
    .on('connect', ({ headers }, socket) => rejectMethod(socket, quota, headers['accept-encoding']?.toString()));
  // It does not listen itself; without this event it would not check its timeouts.
  server.emit('listening');
};

/** Serves HTTPS and plain HTTP on one port, distinguished by the first byte. */
export const listen = async (handler: RequestListener, options: ListenOptions): Promise<Listener> => {
  const { tls, grace, quota } = options;
  const times = { ...defaultTimes, ...options.times };
  const serverOptions = serverOptionsOf(times);
  const sockets = new Set<Socket>();
  /** Connections that cannot have carried a request yet, by peer. */
  const silent = new Map<string, Socket>();
  const responses = new Set<ServerResponse>();
  let closing = false;

  const handle: RequestListener = (request, response) => {
    responses.add(response);
    // What a long body adds to the listeners of each response exceeds the ten that Node takes for a leak.
    response.setMaxListeners(20);
    response.once('close', () => responses.delete(response));
    expectCompletion(request, times, () => rejectLate(request, response, quota));
    // Nothing was received or sent for so long: before the response begins, that is the server's time.
    response.setTimeout(times.reading, () => response.headersSent && request.socket.destroy());
    if (closing) response.setHeader('Connection', 'close');
    // Lets a client whose request was rejected midway read the response: Node closes at once.
    response.prependOnceListener('finish', () => {
      const { socket, complete } = request;
      if (!complete && response.getHeader('connection') === 'close')
        socket.destroySoon = () => closeGently(socket, request);
    });
    handler(request, response);
  };
  const plain = createHttpServer(serverOptions);
  const secure = tls && createHttpsServer({ ...serverOptions, ...secureOptionsOf(tls, times) });
  const servers = secure ? [plain, secure] : [plain];
  for (const server of servers) respond(server, handle, () => closing, quota);

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
    for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  return {
    port: (port.address() as AddressInfo).port,
    certify: ({ cert, key }) => secure?.setSecureContext({ cert, key, minVersion: 'TLSv1.2' }),
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

/** Responds with 408 to a late request; closes the connection if a response has begun. */
const rejectLate = (
  { socket, headers }: IncomingMessage,
  response: ServerResponse,
  quota: QuotaHeaders | undefined,
): void => {
  const late = Object.assign(new Error('The request was not complete in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  // For the log: the response is sent past this one.
  response.statusCode = 408;
  rejectMalformed(late, socket, quota, headers['accept-encoding']?.toString());
};

/** Returns the same value for a TLS socket and for its underlying socket. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Sends 100 (Continue) when the body is first read: an early rejection needs no body. */
const continueTo =
  (handle: RequestListener, closing: () => boolean): RequestListener =>
  (request, response) => {
    const read = request._read;
    request._read = size => {
      request._read = read;
      if (!response.headersSent) {
        if (!closing()) response.removeHeader('Connection');
        response.writeContinue();
      }
      request._read(size);
    };
    response.setHeader('Connection', 'close');
    handle(request, response);
  };

/**
 * Calls `found` with a connection's first byte, which stays readable.
 * Closes a connection that sends nothing in time, or ends.
 */
const firstByte = (socket: Socket, timeout: number, found: (byte: number) => unknown): void => {
  const silence = setTimeout(() => socket.destroy(), timeout);
  socket.once('close', () => clearTimeout(silence));
  socket.once('end', () => socket.destroy());
  socket.once('data', (bytes: Buffer) => {
    clearTimeout(silence);
    socket.pause();
    socket.removeAllListeners('end');
    socket.unshift(bytes);
    found(bytes[0] ?? 0);
    // By then the server has added its own listeners.
    process.nextTick(() => socket.resume());
  });
};
