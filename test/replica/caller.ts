import { Agent, request } from 'node:http';
import type { Client } from '../support/app.ts';

/** A response, without the checks of the document that other tests make. */
export interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly body: any;
}

/** Sends a request; null: there was no response, since the server is down or was killed meanwhile. */
export type Caller = (method: string, path: string, body?: unknown, id?: string) => Promise<Response | null>;

/** Returns a caller for a client's requests to the server on a loopback port. */
export const callerOf = ({ tenant, token }: Client, port: () => number): { call: Caller; close: () => void } => {
  const agent = new Agent({ keepAlive: true });
  const call: Caller = (method, path, body, id) =>
    new Promise(resolve => {
      const bytes = body instanceof Buffer ? body : body === undefined ? null : Buffer.from(JSON.stringify(body));
      const headers = {
        Host: `${tenant.slug}.test`,
        Authorization: `Bearer ${token}`,
        'X-Forwarded-Proto': 'https',
        'Accept-Encoding': 'identity',
        ...(id && { 'X-Request-Id': id }),
        ...(bytes && { 'Content-Length': String(bytes.length) }),
        ...(bytes && { 'Content-Type': body instanceof Buffer ? 'text/plain' : 'application/json' }),
        ...(body instanceof Buffer && { 'X-File-Name': 'note.txt' }),
      };
      const fail = () => resolve(null);
      request({ host: '127.0.0.1', port: port(), path: `/api/v1${path}`, method, headers, agent })
        .on('error', fail)
        .on('response', response => {
          const chunks: Buffer[] = [];
          response.on('data', chunk => chunks.push(chunk)).on('error', fail);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
          });
        })
        .end(bytes ?? undefined);
    });
  return { call, close: () => agent.destroy() };
};
