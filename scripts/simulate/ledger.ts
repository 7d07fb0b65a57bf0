import { createHash } from 'node:crypto';
import type { Operation } from '../../test/support/operations.ts';
import type { DeliveredResponse, WireRequest } from './transport.ts';
import type { SimulatedUser, UserToken } from './users.ts';

/** A request that was sent once, and what has become of it. */
export interface SimulatedExchange extends DeliveredResponse {
  readonly user: SimulatedUser;
  readonly token: UserToken;
  /** Undefined: it is of no operation that writes. */
  readonly operation: Operation | undefined;
  readonly sent: WireRequest;
  readonly requestId: string;
  /** Its Idempotency-Key; null: none. */
  readonly key: string | null;
}

/** Every exchange, in the order in which they ended. */
export class Ledger {
  readonly exchanges: SimulatedExchange[] = [];
  readonly #transcript = createHash('sha256');
  readonly #write: (line: string) => void;

  /** @param write receives each line of the transcript */
  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  add(exchange: SimulatedExchange): void {
    this.exchanges.push(exchange);
    const { user, sent, served, received } = exchange;
    const response = served ? [served.status, served.at, served.headers, served.text] : null;
    const line = JSON.stringify([
      Date.now(),
      user.name,
      sent.method,
      sent.path,
      sent.headers['X-Request-Id'],
      sent.body?.toString(),
      received,
      response,
    ]);
    this.#transcript.update(line);
    this.#write(line);
  }

  /** What the same seed has again: a hash of all requests and responses, headers and times included. */
  get digest(): string {
    return this.#transcript.copy().digest('hex');
  }
}
