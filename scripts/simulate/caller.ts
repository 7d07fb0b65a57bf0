import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../test/replica/random.ts';
import type { Operation } from '../../test/support/operations.ts';
import type { Ledger, SimulatedExchange } from './ledger.ts';
import type { SimulatedServer } from './server.ts';
import type { RequestFaults, ServedResponse } from './transport.ts';
import type { SimulatedUser } from './users.ts';

/** A request of a caller. */
export interface MoveRequest {
  readonly method: string;
  /** Below /api/v1. */
  readonly path: string;
  /** Buffers are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly type?: string;
  readonly operation?: Operation | undefined;
}

/** Requests of one API user, some of which meet faults: writes are then tried again. */
export class SimulatedCaller {
  readonly user: SimulatedUser;
  readonly #server: SimulatedServer;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #faulty: boolean;

  constructor(user: SimulatedUser, server: SimulatedServer, ledger: Ledger, random: Random, faulty = true) {
    this.user = user;
    this.#server = server;
    this.#ledger = ledger;
    this.#random = random;
    this.#faulty = faulty;
  }

  /** Sends a request; null: there was no response. */
  async ask(asked: MoveRequest): Promise<ServedResponse | null> {
    const writes = asked.method === 'POST' || asked.method === 'PUT';
    const key = writes ? `${this.user.name}-${this.user.count()}` : null;
    for (let attempt = 1; ; attempt++) {
      const faults = this.#faulty && attempt < 4 ? this.#faults() : {};
      const repeated = this.#faulty && writes && this.#random.chance(0.05);
      const [served] = await Promise.all([
        this.#send(asked, key, faults),
        repeated ? this.#send(asked, key, { late: this.#random.integer(1, 50) }) : null,
      ]);
      if (served || !writes || attempt === 4) return served;
      await pause(this.#random.integer(1, 400));
    }
  }

  async #send(asked: MoveRequest, key: string | null, faults: RequestFaults): Promise<ServedResponse | null> {
    const { method, path, body, type = 'application/json', operation } = asked;
    const { token } = this.user;
    const bytes = body === undefined ? null : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const requestId = `${this.user.name}-r${this.user.count()}`;
    const headers = {
      Host: `${this.#server.tenant.slug}.test`,
      Authorization: `Bearer ${token.text}`,
      'X-Forwarded-Proto': 'https',
      'Accept-Encoding': 'identity',
      'X-Request-Id': requestId,
      ...(key && { 'Idempotency-Key': key }),
      ...(bytes && { 'Content-Length': String(bytes.length), 'Content-Type': type }),
    };
    const sent = { method, path: `/api/v1${path}`, headers, body: bytes };
    const delivered = await this.#server.transport.send(sent, faults);
    const exchange: SimulatedExchange = { user: this.user, token, operation, sent, requestId, key, ...delivered };
    this.#ledger.add(exchange);
    return delivered.received ? delivered.served : null;
  }

  #faults(): RequestFaults {
    const random = this.#random;
    const turn = random.next();
    if (turn < 0.03) return { lost: 'request' };
    if (turn < 0.07) return { lost: 'response' };
    if (turn < 0.1) return { lost: 'connection', late: random.integer(1, 20) };
    if (turn < 0.2) return { late: random.integer(1, 2000) };
    if (turn < 0.25) return { slowBody: random.integer(1, 3000) };
    return turn < 0.3 ? { lateResponse: random.integer(1, 3000) } : {};
  }
}

/** Returns the body of a response as a value; null: it is no JSON, or none. */
export const jsonOf = (served: ServedResponse | null): unknown =>
  served?.headers['content-type']?.startsWith('application/json') && served.text !== ''
    ? JSON.parse(served.text)
    : null;
