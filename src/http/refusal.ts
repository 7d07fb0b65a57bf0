import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../errors.ts';
import { commonHeaders } from './security-headers.ts';

/** What is wrong with bytes that are not an HTTP request, or not one that the server reads: no stage gets to see it. */
interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const malformed: Refusal = {
  status: 400,
  code: 'malformed_request',
  message: 'The request is not valid HTTP.',
  description: 'Send requests as HTTP/1.1 describes them.',
};

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: 'The address and header fields of the request are too large.',
    description: 'Send a shorter address and fewer or shorter header fields.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
    description: 'Repeat the request over a better connection.',
  },
};

/** Answers what the HTTP parser refused, and ends the connection. */
export const refuseBroken = (error: Error & { code?: string }, socket: Duplex): void => {
  const { code = '' } = error;
  const refusal = refusals[code] ?? (code.startsWith('HPE_') ? malformed : null);
  // The rest are connections that broke, and TLS that never came about.
  if (refusal) refuse(socket, refusal);
  else socket.destroy();
};

/** Answers CONNECT, which no path has. */
export const refuseTunnel = (socket: Duplex): void =>
  refuse(socket, new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' } }));

/** Milliseconds. */
const linger = 1000;

const refuse = (socket: Duplex, { status, code, message, description, headers = {} }: Refusal): void => {
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const body = JSON.stringify({ code, message, description, request_id: id }, null, 2);
  const lines = Object.entries({
    ...commonHeaders,
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
