import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { acceptsGzip, compress } from '../response/compression.ts';
import { corsHeaders } from '../response/cors.ts';
import { problemOf } from '../response/failures.ts';
import { commonHeaders } from '../response/security-headers.ts';

/** Error codes by error of the HTTP parser: such a request never reaches the pipeline. */
const errorCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Returns the rate-limit headers of a client's IP address; never rejects. */
export type QuotaHeaders = (address: string) => Promise<Readonly<Record<string, string>>>;

/** Responds to a request that the HTTP parser rejected, and closes the connection. */
export const rejectMalformed = (
  error: Error & { code?: string; rawPacket?: Buffer },
  socket: Duplex,
  quota?: QuotaHeaders,
  acceptEncoding = acceptEncodingOf(error.rawPacket),
): void => {
  const { code = '', rawPacket } = error;
  if (code === 'HPE_INVALID_METHOD' && isRequestLine(rawPacket)) {
    rejectMethod(socket, quota, acceptEncoding);
    return;
  }
  const errorCode = errorCodes[code] ?? (code.startsWith('HPE_') ? 'malformed_request' : null);
  // All others are broken connections and failed TLS handshakes.
  if (errorCode) void reject(socket, new ApiError(errorCode), quota, acceptEncoding);
  else socket.destroy();
};

/** Returns whether a packet begins with a request line (RFC 9112, section 3), whatever its method. */
const isRequestLine = (packet: Buffer | undefined): boolean =>
  /^[\w!#$%&'*+.^`|~-]{1,100} [!-~]+ HTTP\/1\.[01]\r?\n/.test(packet?.toString('latin1', 0, 10_000) ?? '');

/** Returns the Accept-Encoding header of a request that could not be parsed, if it can be found. */
const acceptEncodingOf = (packet: Buffer | undefined): string | undefined =>
  /\r\naccept-encoding:([^\r\n]{0,1000})\r\n/i.exec(packet?.toString('latin1') ?? '')?.[1];

/** Responds with 405 to CONNECT and to unknown methods, which no path supports. */
export const rejectMethod = (socket: Duplex, quota?: QuotaHeaders, acceptEncoding?: string): void =>
  void reject(
    socket,
    new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' } }),
    quota,
    acceptEncoding,
  );

/** Milliseconds for which a connection is read after its last response: of silence, and in total. */
const linger = { silence: 3_000, total: 10_000 };

/**
 * Closes a connection behind its last response.
 * What the client still sends is read and dropped for a while: closing while it sends would reset the connection and discard the
 * response.
 * @param source what is left to read: the socket, or the request on it
 */
export const closeGently = (socket: Duplex, source: Readable = socket): void => {
  const destroy = () => void socket.destroy();
  const silence = setTimeout(destroy, linger.silence).unref();
  const total = setTimeout(destroy, linger.total).unref();
  socket.once('close', () => {
    clearTimeout(silence);
    clearTimeout(total);
  });
  source
    .unpipe()
    .on('data', () => silence.refresh())
    .once('end', destroy);
  socket.end();
  source.resume();
};

const reject = async (
  socket: Duplex,
  error: ApiError,
  quota?: QuotaHeaders,
  acceptEncoding?: string,
): Promise<void> => {
  const id = randomUUID();
  const { status, headers } = error;
  const json = Buffer.from(JSON.stringify(problemOf(error, id), null, 2));
  const gzip = acceptsGzip(acceptEncoding);
  const body = gzip ? await compress(json) : json;
  const rateLimit = await quota?.((socket as Socket).remoteAddress ?? '');
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = Object.entries({
    ...commonHeaders,
    ...corsHeaders,
    ...rateLimit,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    ...(gzip && { 'content-encoding': 'gzip' }),
    'content-length': String(body.length),
    'x-request-id': id,
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
  socket.write(body);
  closeGently(socket);
};
