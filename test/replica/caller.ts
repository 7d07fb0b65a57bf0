import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Client } from '../support/app.ts';

/** A response, without the checks of the document that other tests make. */
export interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly body: any;
}

/** A response as it came. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request; null: there was no response, since the server is down or was killed meanwhile. */
export type Caller = (method: string, path: string, body?: unknown, id?: string) => Promise<Response | null>;

/** Sends a request likewise, with headers of its own, and returns the response as it came. */
type Sender = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<WholeResponse | null>;

/**
 * Returns a sender of a client's requests to the server on a port, of this machine unless a host is given.
 * @param patience milliseconds of silence after which there is no response; default: as long as it takes
 */
export const senderOf = (
  { tenant, token }: Pick<Client, 'tenant' | 'token'>,
  port: () => number,
  { host = '127.0.0.1', patience = 0 }: { readonly host?: string; readonly patience?: number } = {},
): { readonly send: Sender; readonly close: () => void } => {
  const agent = new Agent({ keepAlive: true });
  const send: Sender = (method, path, body, given = {}) =>
    new Promise(resolve => {
      const bytes = body instanceof Buffer ? body : body === undefined ? null : Buffer.from(JSON.stringify(body));
      const headers = {
        Host: `${tenant.slug}.test`,
        Authorization: `Bearer ${token}`,
        'X-Forwarded-Proto': 'https',
        'Accept-Encoding': 'identity',
        ...(bytes && { 'Content-Length': String(bytes.length) }),
        ...(bytes && { 'Content-Type': body instanceof Buffer ? 'text/plain' : 'application/json' }),
        ...given,
      };
      const fail = () => resolve(null);
      const sent = request({ host, port: port(), path: `/api/v1${path}`, method, headers, agent })
        .on('error', fail)
        .on('response', response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk)).on('error', fail);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
          );
        });
      if (patience > 0) sent.setTimeout(patience, () => sent.destroy());
      sent.end(bytes ?? undefined);
    });
  return { send, close: () => agent.destroy() };
};

/** Returns a caller for a client's requests to the server on a loopback port. */
export const callerOf = (client: Client, port: () => number): { call: Caller; close: () => void } => {
  const { send, close } = senderOf(client, port);
  const call: Caller = async (method, path, body, id) => {
    const name = body instanceof Buffer ? { 'X-File-Name': 'note.txt' } : {};
    const response = await send(method, path, body, { ...(id && { 'X-Request-Id': id }), ...name });
    if (!response) return null;
    const text = response.bytes.toString();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  return { call, close };
};
