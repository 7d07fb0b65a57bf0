import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, type ErrorCode } from '../../core/errors.ts';
import { acceptsGzip, compress } from '../response/compression.ts';
import { openToScripts } from '../response/cors.ts';
import { commonHeaders } from '../response/security-headers.ts';

/** What is wrong with bytes that are not an HTTP request, or not one that the server reads: no stage gets to see it. */
const refusals: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The headers that tell the quota of a client's address; never rejects. */
export type QuotaHeaders = (address: string) => Promise<Readonly<Record<string, string>>>;

/** Answers what the HTTP parser refused, and ends the connection. */
export const refuseBroken = (
  error: Error & { code?: string; rawPacket?: Buffer },
  socket: Duplex,
  quota?: QuotaHeaders,
  acceptEncoding = acceptEncodingOf(error.rawPacket),
): void => {
  const { code = '', rawPacket } = error;
  if (code === 'HPE_INVALID_METHOD' && isRequestLine(rawPacket)) {
    refuseMethod(socket, quota, acceptEncoding);
    return;
  }
  const refusal = refusals[code] ?? (code.startsWith('HPE_') ? 'malformed_request' : null);
  // The rest are connections that broke, and TLS that never came about.
  if (refusal) void refuse(socket, new ApiError(refusal), quota, acceptEncoding);
  else socket.destroy();
};

/** A request line (RFC 9112, section 3) whose method the parser does not know. */
const isRequestLine = (packet: Buffer | undefined): boolean =>
  /^[\w!#$%&'*+.^`|~-]{1,100} [!-~]+ HTTP\/1\.[01]\r?\n/.test(packet?.toString('latin1', 0, 10_000) ?? '');

/** The Accept-Encoding header, as far as it can be told of a request that could not be read. */
const acceptEncodingOf = (packet: Buffer | undefined): string | undefined =>
  /\r\naccept-encoding:([^\r\n]{0,1000})\r\n/i.exec(packet?.toString('latin1') ?? '')?.[1];

/** Answers CONNECT, and methods that no one knows: no path has them. */
export const refuseMethod = (socket: Duplex, quota?: QuotaHeaders, acceptEncoding?: string): void =>
  void refuse(
    socket,
    new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' } }),
    quota,
    acceptEncoding,
  );

/** Milliseconds. */
const linger = 1000;

const refuse = async (
  socket: Duplex,
  { status, code, message, description, headers }: ApiError,
  quota?: QuotaHeaders,
  acceptEncoding?: string,
): Promise<void> => {
  const id = randomUUID();
  const json = Buffer.from(JSON.stringify({ code, message, description, request_id: id }, null, 2));
  const gzip = acceptsGzip(acceptEncoding);
  const body = gzip ? await compress(json) : json;
  const told = await quota?.((socket as Socket).remoteAddress ?? '');
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = Object.entries({
    ...commonHeaders,
    ...openToScripts,
    ...told,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    ...(gzip && { 'content-encoding': 'gzip' }),
    'content-length': String(body.length),
    'x-request-id': id,
    date: new Date().toUTCString(),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
  socket.end(body);
  // What the client is still sending is read for a while: closing on it at once would take the answer away from it.
  socket.resume();
  setTimeout(() => socket.destroy(), linger).unref();
};
