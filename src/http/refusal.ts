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
    message: 'The header fields of the request are too large.',
    description: 'Send fewer or shorter header fields.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The request did not arrive in time.',
    description: 'Repeat the request over a better connection.',
  },
};

/** Answers what the HTTP parser refused, and ends the connection. */
export const refuseBroken = (error: Error & { code?: string; rawPacket?: Buffer }, socket: Duplex): void => {
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW' && isRequestLine(error.rawPacket);
  refuse(socket, tooLong ? new ApiError('uri_too_long') : (refusals[error.code ?? ''] ?? malformed));
};

/** Answers CONNECT, which no path has. */
export const refuseTunnel = (socket: Duplex): void =>
  refuse(socket, new ApiError('method_not_allowed', { headers: { Allow: 'GET, HEAD, POST, PUT, DELETE' } }));

/** The packet has nothing but a request line, so that it is the address that takes the room. */
const isRequestLine = (packet: Buffer | undefined): boolean =>
  packet !== undefined && /^[A-Z]+ \//.test(packet.toString('latin1', 0, 10)) && !packet.includes('\r\n');

const refuse = (socket: Duplex, { status, code, message, description, headers = {} }: Refusal): void => {
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
};
