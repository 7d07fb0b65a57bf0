import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, type ErrorCode } from '../errors.ts';
import { commonHeaders } from './security-headers.ts';

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
): void => {
  const { code = '', rawPacket } = error;
  if (code === 'HPE_INVALID_METHOD' && isRequestLine(rawPacket)) {
    refuseMethod(socket, quota);
    return;
  }
  const refusal = refusals[code] ?? (code.startsWith('HPE_') ? 'malformed_request' : null);
  // The rest are connections that broke, and TLS that never came about.
  if (refusal) void refuse(socket, new ApiError(refusal), quota);
  else socket.destroy();
};

/** A request line (RFC 9112, section 3) whose method the parser does not know. */
const isRequestLine = (packet: Buffer | undefined): boolean =>
  /^[\w!#$%&'*+.^`|~-]{1,100} [!-~]+ HTTP\/1\.[01]\r?\n/.test(packet?.toString('latin1', 0, 10_000) ?? '');

/** Answers CONNECT, and methods that no one knows: no path has them. */
export const refuseMethod = (socket: Duplex, quota?: QuotaHeaders): void =>
  void refuse(
    socket,
    new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' } }),
    quota,
  );

/** Milliseconds. */
const linger = 1000;

const refuse = async (
  socket: Duplex,
  { status, code, message, description, headers }: ApiError,
  quota?: QuotaHeaders,
): Promise<void> => {
  const told = await quota?.((socket as Socket).remoteAddress ?? '');
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const body = JSON.stringify({ code, message, description, request_id: id }, null, 2);
  const lines = Object.entries({
    ...commonHeaders,
    ...told,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // What the client is still sending is read for a while: closing on it at once would take the answer away from it.
  socket.resume();
  setTimeout(() => socket.destroy(), linger).unref();
};
