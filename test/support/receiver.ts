import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookContradictions } from './conformance/webhook.ts';

/** A webhook that has arrived. */
export interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
}

/** A receiver of webhooks on loopback, which compares each one with the published document. */
export class Receiver {
  readonly server: Server;
  /** What has arrived so far. */
  readonly received: Received[] = [];
  /** Responds to a webhook; by default with 204. */
  respond = (webhook: Received): void => void webhook.response.writeHead(204).end();
  readonly #problems: string[] = [];
  #arrived = (): void => {};

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => {});
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        const { method, headers } = request;
        const webhook = { method, headers, body: Buffer.concat(chunks).toString(), response };
        this.#problems.push(...webhookContradictions({ headers, payload: webhook.body }));
        this.received.push(webhook);
        this.respond(webhook);
        this.#arrived();
      });
    });
  }

  /** Starts it and returns its URL. */
  async listen(host = '127.0.0.1'): Promise<string> {
    this.server.listen(0, host);
    await once(this.server, 'listening');
    return `http://${host}:${this.port}/`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resolves when that many webhooks have arrived. */
  async arrival(count: number): Promise<readonly Received[]> {
    while (this.received.length < count)
      await new Promise<void>(resolve => {
        this.#arrived = resolve;
      });
    return this.received;
  }

  /** Stops it, with all of its connections. @throws AssertionError if a webhook contradicted the document */
  close(): void {
    this.server.closeAllConnections();
    this.server.close();
    assert.deepEqual(this.#problems, [], 'webhooks contradict the document');
  }
}
